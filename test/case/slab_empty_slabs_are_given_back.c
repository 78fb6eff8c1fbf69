#include <dolmen/slab.h>
#include "mm/page_alloc.h"
#include "mm/slab.h"
#include "test/contract.h"

#define NR_OBJECTS 20000

EXACT_CONTRACT("slabs that become empty go back to the page allocator, all but a few",
	"finish_free does not discard an idle slab")
{
	static void *objects[NR_OBJECTS];
	struct kmem_cache *cache = kmem_cache_create("empty", 64, 0, 0, NULL);
	unsigned nr = 0;

	while (nr < NR_OBJECTS &&
		(objects[nr] = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN)))
		nr++;
	uint64_t held = numa_free_pages(NUMA_NO_NODE);
	for (unsigned i = 0; i < nr; i++)
		kmem_cache_free(cache, objects[i]);
	uint64_t slabs = 0, may_stay = cache->kc_cpu_slabs;
	for (unsigned nid = 0; nid < DOLMEN_MAX_NODES; nid++) {
		if (!cache->kc_node[nid])
			continue;
		slabs += port_load(&cache->kc_node[nid]->kn_slabs);
		may_stay += cache->kc_min_partial;
	}
	CHECK(slabs <= may_stay, "%lu slabs stay, not %lu", slabs, may_stay);
	CHECK(numa_free_pages(NUMA_NO_NODE) >= held + nr / 64 - may_stay,
		"pages did not come back");
	CHECK(kmem_cache_destroy(cache), "objects left");
}
