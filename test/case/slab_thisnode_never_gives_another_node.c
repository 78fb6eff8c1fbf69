#include <dolmen/init.h>

#include "test/slab_tools.h"

EXACT_CONTRACT(
	"a request with __GFP_THISNODE gets that node's memory or NULL, however much other nodes "
	"have",
	"take_anywhere does not look at __GFP_THISNODE")
{
	struct kmem_cache *cache = kmem_cache_create("thisnode", 512, 0, 0, NULL);
	unsigned per_slab = cache->kc_best.objects;
	static void *objects[2][8], *got;

	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		int other = numa_fallback(nid, 1);

		if (!numa_has_memory(nid) || other == NUMA_NO_NODE)
			continue;
		if (!take_slabs(cache, (int)nid, 1, objects[0]) ||
			!take_slabs(cache, other, 1, objects[1]))
			break;
		/* The other node has objects on its list and on this CPU, this one has none and
		 * no page. */
		free_some(cache, objects[1], per_slab / 2);
		dolmen_fail_pages(0, UINT64_MAX);
		got = kmem_cache_alloc_node(
			cache, GFP_KERNEL | __GFP_THISNODE | __GFP_NOWARN, (int)nid);
		CHECK(!got, "node %u: got %p of node %u", nid, got, object_node(got));
		kmem_cache_free(cache, got);
		kmem_cache_free(cache, objects[0][0]);
		objects[0][0] = kmem_cache_alloc_node(
			cache, GFP_KERNEL | __GFP_THISNODE | __GFP_NOWARN, (int)nid);
		CHECK(objects[0][0] && object_node(objects[0][0]) == nid, "node %u has one: %p",
			nid, objects[0][0]);
		dolmen_fail_pages(0, 0);
		free_some(cache, objects[0], per_slab);
		free_some(cache, objects[1] + per_slab / 2, per_slab - per_slab / 2);
		kmem_cache_shrink(cache);
	}
	destroy_empty(cache);
}
