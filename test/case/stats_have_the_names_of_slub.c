#include "lib/string.h"
#include "test/slab_tools.h"

static const char *const names[] = {"ALLOC_FASTPATH", "ALLOC_SLOWPATH", "FREE_FASTPATH",
	"FREE_SLOWPATH", "FREE_FROZEN", "FREE_ADD_PARTIAL", "FREE_REMOVE_PARTIAL",
	"ALLOC_FROM_PARTIAL", "ALLOC_SLAB", "ALLOC_REFILL", "ALLOC_NODE_MISMATCH", "FREE_SLAB",
	"CPUSLAB_FLUSH", "DEACTIVATE_FULL", "DEACTIVATE_EMPTY", "DEACTIVATE_TO_HEAD",
	"DEACTIVATE_TO_TAIL", "DEACTIVATE_REMOTE_FREES", "DEACTIVATE_BYPASS", "ORDER_FALLBACK",
	"CMPXCHG_DOUBLE_CPU_FAIL", "CMPXCHG_DOUBLE_FAIL", "CPU_PARTIAL_ALLOC", "CPU_PARTIAL_FREE",
	"CPU_PARTIAL_NODE", "CPU_PARTIAL_DRAIN"};

#ifdef DOLMEN_SLUB_STATS
static void use(struct kmem_cache *cache)
{
	static void *objects[64];

	for (unsigned i = 0; i < 64; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	free_some(cache, objects, 64);
	kmem_cache_shrink(cache);
}
#endif

CONTRACT("each of SLUB's 26 counters is there once under its name, and the slow ones always count",
	"a name is missing from slab_stat_name")
{
	CHECK(NR_SLAB_STATS == 26 && sizeof(names) / sizeof(names[0]) == 26, "%u counters",
		NR_SLAB_STATS);
	for (unsigned i = 0; i < 26; i++) {
		unsigned found = 0;

		for (unsigned stat = 0; stat < NR_SLAB_STATS; stat++)
			found += !strcmp(slab_stat_name((enum slab_stat)stat), names[i]);
		CHECK(found == 1, "%s is there %u times", names[i], found);
	}
	CHECK(!strcmp(slab_stat_name(NR_SLAB_STATS), "(none)"), "a name past the last");
	CHECK(!slab_stat_total(NR_SLAB_STATS), "a sum past the last");
	enum slab_stat slow[] = {ALLOC_SLOWPATH, FREE_SLOWPATH, FREE_FROZEN, ALLOC_FROM_PARTIAL,
		ALLOC_SLAB, FREE_SLAB, CPU_PARTIAL_FREE, CPU_PARTIAL_DRAIN, ORDER_FALLBACK,
		CMPXCHG_DOUBLE_FAIL, ALLOC_NODE_MISMATCH};
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		CHECK(slow[i] < NR_KEPT_STATS, "%s is not kept", slab_stat_name(slow[i]));
#ifdef DOLMEN_SLUB_STATS
	struct kmem_cache *cache = kmem_cache_create("all 26", 512, 0, 0, NULL);

	use(cache);
	CHECK(!cache_knob(cache, KNOB_SHEAF) ||
			(stat_of(cache, ALLOC_FASTPATH) && stat_of(cache, FREE_FASTPATH)),
		"sheaves count nothing");
	cache_set_knob(cache, KNOB_SHEAF, 0);
	use(cache);
	enum slab_stat option[] = {CPUSLAB_FLUSH, DEACTIVATE_BYPASS, DEACTIVATE_EMPTY};
	for (size_t i = 0; i < sizeof(option) / sizeof(option[0]); i++)
		CHECK(stat_of(cache, option[i]), "%s counts nothing", slab_stat_name(option[i]));
	destroy_empty(cache);
#endif
}
