#include "test/slab_tools.h"

EXACT_CONTRACT(
	"__GFP_THISNODE without a node means this CPU's memory node, whatever slabs the CPU holds",
	"slab_alloc does not look at __GFP_THISNODE")
{
	unsigned own = cpu_to_mem(0);
	int other = numa_fallback(own, 1);
	static void *objects[8], *got;

	if (other == NUMA_NO_NODE) {
		contract_skip("one memory node");
		return;
	}
	struct kmem_cache *cache = kmem_cache_create("own", 512, 0, 0, NULL);
	cache_set_knob(cache, KNOB_REMOTE_RATIO, 100);
	if (take_slabs(cache, other, 1, objects)) {
		free_some(cache, objects, 4);
		partial_drain_cpu(cache, 0);
		/* Now the CPU's current slab is the other node's. */
		objects[0] = kmem_cache_alloc(cache, GFP_KERNEL);
		CHECK(object_node(objects[0]) == (unsigned)other, "of node %u",
			object_node(objects[0]));
		got = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_THISNODE);
		CHECK(got && object_node(got) == own, "of node %u, not %u", object_node(got), own);
		kmem_cache_free(cache, got);
		kmem_cache_free(cache, objects[0]);
		free_some(cache, objects + 4, cache->kc_best.objects - 4);
	}
	destroy_empty(cache);
}
