#include "test/slab_tools.h"

#define NODES	4
#define OBJECTS 16 /* of each node: a sheaf holds them */

CONTRACT("a CPU that frees objects of several other nodes by turns puts them all into sheaves",
	"all other nodes share one cross sheaf")
{
	struct kmem_cache *cache = kmem_cache_create("crossed", 256, 0, 0, NULL);
	static void *objects[OBJECTS][NODES];
	unsigned nr_nodes = 0, own = cpu_to_mem(0);
	unsigned nids[NODES];

	for (unsigned nid = 0; nid < numa_nr_nodes() && nid < NODES; nid++)
		if (nid != own && cache->kc_node[nid])
			nids[nr_nodes++] = nid;
	if (nr_nodes < 2 || cache_knob(cache, KNOB_SHEAF) < OBJECTS) {
		contract_skip("needs three nodes, and sheaves");
		destroy_empty(cache);
		return;
	}
	for (unsigned i = 0; i < OBJECTS; i++)
		for (unsigned node = 0; node < nr_nodes; node++)
			objects[i][node] = kmem_cache_alloc_node(
				cache, GFP_KERNEL | __GFP_THISNODE, (int)nids[node]);
	kmem_cache_shrink(cache);
	for (unsigned i = 0; i < OBJECTS; i++)
		for (unsigned node = 0; node < nr_nodes; node++)
			kmem_cache_free(cache, objects[i][node]);

	struct cache_stats stats;

	cache_stats(cache, &stats);
	CHECK(stats.in_sheaves == (uint64_t)OBJECTS * nr_nodes, "%lu of %u in sheaves",
		stats.in_sheaves, OBJECTS * nr_nodes);
	destroy_empty(cache);
}
