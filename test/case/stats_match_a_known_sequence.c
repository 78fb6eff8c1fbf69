#include "test/slab_tools.h"

static struct cache_stats last;

/* What was counted since the last look. */
static uint64_t delta(struct kmem_cache *cache, enum slab_stat stat)
{
	return stat_of(cache, stat) - last.stat[stat];
}

EXACT_CONTRACT("the counters of a cache say exactly what was done to it",
	"keep_slab counts no slab taken up, or an object counts twice")
{
	struct kmem_cache *cache = kmem_cache_create("counted", 512, 0, 0, NULL);
	unsigned per_slab = cache->kc_best.objects, nid = cpu_to_mem(0);
	static void *objects[6 * 8];

	cache_set_knob(cache, KNOB_CPU_SLABS, 4);
	cache_set_knob(cache, KNOB_MIN_PARTIAL, 0);
	for (unsigned i = 0; i < 6 * per_slab; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	CHECK(stat_of(cache, ALLOC_SLOWPATH) == 6 * per_slab, "%lu allocations",
		stat_of(cache, ALLOC_SLOWPATH));
	CHECK(stat_of(cache, ALLOC_SLAB) == 6 && !stat_of(cache, FREE_SLAB),
		"%lu slabs made, %lu ended", stat_of(cache, ALLOC_SLAB), stat_of(cache, FREE_SLAB));
	partial_drain_cpu(cache, 0);

	cache_stats(cache, &last);
	for (unsigned slab = 0; slab < 5; slab++)
		kmem_cache_free(cache, objects[slab * per_slab]);
	CHECK(delta(cache, CPU_PARTIAL_FREE) == 5, "%lu slabs taken up",
		delta(cache, CPU_PARTIAL_FREE));
	CHECK(delta(cache, CPU_PARTIAL_DRAIN) == 1, "%lu times too many",
		delta(cache, CPU_PARTIAL_DRAIN));
	CHECK(delta(cache, FREE_SLOWPATH) == 5 && !delta(cache, FREE_FROZEN),
		"%lu frees, %lu into frozen", delta(cache, FREE_SLOWPATH),
		delta(cache, FREE_FROZEN));

	/* The CPU holds slabs 0, 1 and 4, the node 2 and 3. */
	cache_stats(cache, &last);
	kmem_cache_free(cache, objects[1]);
	kmem_cache_free(cache, objects[4 * per_slab + 1]);
	CHECK(delta(cache, FREE_SLOWPATH) == 2 && delta(cache, FREE_FROZEN) == 2,
		"%lu frees, %lu into frozen", delta(cache, FREE_SLOWPATH),
		delta(cache, FREE_FROZEN));

	cache_stats(cache, &last);
	free_some(cache, objects + 2 * per_slab + 1, per_slab - 1);
	CHECK(delta(cache, FREE_SLAB) == 1 && partial_slabs(cache, nid) == 1, "%lu slabs ended",
		delta(cache, FREE_SLAB));

	cache_stats(cache, &last);
	objects[1] = kmem_cache_alloc_node(cache, GFP_KERNEL, (int)nid);
	CHECK(delta(cache, ALLOC_SLOWPATH) == 1, "%lu allocations for one of the node",
		delta(cache, ALLOC_SLOWPATH));
	kmem_cache_free(cache, objects[1]);

	partial_drain_cpu(cache, 0);
	cache_stats(cache, &last);
	objects[0] = kmem_cache_alloc(cache, GFP_KERNEL);
	CHECK(delta(cache, ALLOC_FROM_PARTIAL) == 2 && delta(cache, ALLOC_SLOWPATH) == 1,
		"%lu slabs moved for %lu objects", delta(cache, ALLOC_FROM_PARTIAL),
		delta(cache, ALLOC_SLOWPATH));
	kmem_cache_free(cache, objects[0]);
	free_some(cache, objects + 2, per_slab - 2);
	free_some(cache, objects + per_slab + 1, per_slab - 1);
	free_some(cache, objects + 3 * per_slab + 1, per_slab - 1);
	free_some(cache, objects + 4 * per_slab + 2, per_slab - 2);
	free_some(cache, objects + 5 * per_slab, per_slab);
	cache_stats(cache, &last);
	CHECK(last.stat[ALLOC_SLOWPATH] == last.stat[FREE_SLOWPATH], "%lu allocations, %lu frees",
		last.stat[ALLOC_SLOWPATH], last.stat[FREE_SLOWPATH]);
	destroy_empty(cache);
}
