#include <dolmen/init.h>
#include "test/slab_tools.h"

CONTRACT("ticks take the sheaves of an idle cache from CPUs and barns, and end in no slab at all",
	"sweep leaves the barn alone, or ends after the first sheaves of it")
{
	struct kmem_cache *cache = kmem_cache_create("idle", 64, 0, 0, NULL);
	static void *objects[2000];
	struct cache_stats stats;

	cache_set_knob(cache, KNOB_MIN_PARTIAL, 0);
	for (unsigned i = 0; i < 2000; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	for (unsigned i = 0; i < 2000; i++)
		kmem_cache_free(cache, objects[i]);
	cache_stats(cache, &stats);
	if (!cache_knob(cache, KNOB_SHEAF))
		contract_skip("all caches are exact");
	else
		CHECK(stats.in_sheaves > 2 * SHEAF_MAX && !stats.in_use,
			"%lu in sheaves, %lu in use", stats.in_sheaves, stats.in_use);
	for (unsigned i = 0; i < 64 * BARN_SLOTS; i++)
		dolmen_tick();
	cache_stats(cache, &stats);
	CHECK(!stats.in_sheaves && !stats.slabs, "%lu in sheaves, %lu slabs", stats.in_sheaves,
		stats.slabs);
	destroy_empty(cache);
}
