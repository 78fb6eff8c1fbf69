#include "test/slab_tools.h"

CONTRACT("a cache's limits can be set, are clamped to their range, and read back what is in force",
	"cache_set_knob stores what it was given")
{
	static const struct {
		enum cache_knob knob;
		unsigned value, want;
	} steps[] = {
		{KNOB_CPU_SLABS, 3, 3},
		{KNOB_CPU_SLABS, 0, 1},
		{KNOB_CPU_SLABS, ~0u, CPU_SLABS_MAX},
		{KNOB_REMOTE_RATIO, 0, 0},
		{KNOB_REMOTE_RATIO, 101, 100},
		{KNOB_MAX_PARTIAL, 40, 40},
		{KNOB_MIN_PARTIAL, 7, 7},
		{KNOB_MIN_PARTIAL, 41, 40},
		{KNOB_MAX_PARTIAL, 5, 40}, /* not below what min_partial is */
		{KNOB_MIN_PARTIAL, 0, 0},
		{KNOB_MAX_PARTIAL, 5, 5},
		{KNOB_MAX_PARTIAL, ~0u, 65536},
	};
	struct kmem_cache *cache = kmem_cache_create("knobs", 64, 0, 0, NULL);
	struct cache_stats stats;

	CHECK(cache_knob(cache, KNOB_CPU_SLABS) >= 1 && cache_knob(cache, KNOB_MIN_PARTIAL) >= 1 &&
			cache_knob(cache, KNOB_MIN_PARTIAL) <= cache_knob(cache, KNOB_MAX_PARTIAL),
		"no sensible values to begin with");
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		unsigned set = cache_set_knob(cache, steps[i].knob, steps[i].value);

		CHECK(set == steps[i].want && cache_knob(cache, steps[i].knob) == set,
			"step %zu: %u is in force, reads %u, not %u", i, set,
			cache_knob(cache, steps[i].knob), steps[i].want);
		cache_stats(cache, &stats);
		CHECK(stats.knobs[steps[i].knob] == set, "step %zu: statistics show %u", i,
			stats.knobs[steps[i].knob]);
	}
	destroy_empty(cache);
}
