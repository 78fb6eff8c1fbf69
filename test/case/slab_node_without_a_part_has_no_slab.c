/* A node may be too small to hold its part of a cache. Here the part is put aside for a while. */
#include "test/slab_tools.h"

#define GFP (GFP_KERNEL | __GFP_NOWARN)

static void *objects[40];

static void use_without_part(struct kmem_cache *cache, unsigned nid)
{
	struct kmem_cache_node *part = cache->kc_node[nid];
	int next = numa_fallback(nid, 1);

	cache->kc_node[nid] = NULL;
	void *only = kmem_cache_alloc_node(cache, GFP | __GFP_THISNODE, (int)nid);
	CHECK(!only, "node %u has no part, and gave %p", nid, only);
	for (unsigned i = 0; i < 40; i++) {
		objects[i] = i % 2 ? kmem_cache_alloc(cache, GFP)
				   : kmem_cache_alloc_node(cache, GFP, (int)nid);
		if (next == NUMA_NO_NODE)
			CHECK(!objects[i], "the only node has no part, and gave %p", objects[i]);
		else
			CHECK(objects[i] && object_node(objects[i]) != nid &&
					(i % 2 || object_node(objects[i]) == (unsigned)next),
				"node %u, object %u: %p", nid, i, objects[i]);
	}
	for (unsigned i = 0; i < 40; i++)
		if (objects[i])
			kmem_cache_free(cache, objects[i]);
	kmem_cache_shrink(cache);
	cache->kc_node[nid] = part;
	CHECK(!nr_slabs(cache), "%lu slabs are left", nr_slabs(cache));
}

CONTRACT("a node without a part of a cache is served by the nearest that has one, and its own "
	 "pages make no slab",
	"slab_new keeps a page of such a node, or nearest_part does not end at the first")
{
	for (unsigned exact = 0; exact < 2; exact++) {
		struct kmem_cache *cache = kmem_cache_create("partly", 1000, 0, 0, NULL);

		if (exact)
			cache_set_knob(cache, KNOB_SHEAF, 0);
		for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
			if (numa_has_memory(nid))
				use_without_part(cache, nid);
		destroy_empty(cache);
	}
}
