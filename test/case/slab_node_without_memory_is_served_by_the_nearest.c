#include "test/slab_tools.h"

EXACT_CONTRACT("a node without memory is served by the nearest that has some, and gives NULL with "
	       "__GFP_THISNODE",
	"partial_alloc_node takes node 0 for a node without memory")
{
	bool any = false;

	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		if (numa_has_memory(nid))
			continue;
		any = true;
		void *small = kmalloc_node(64, GFP_KERNEL, (int)nid);
		void *large = kmalloc_node(20000, GFP_KERNEL, (int)nid);
		unsigned nearest = (unsigned)numa_fallback(nid, 0);

		CHECK(small && object_node(small) == nearest, "small: node %u, not %u",
			object_node(small), nearest);
		CHECK(large && object_node(large) == nearest, "large: node %u, not %u",
			object_node(large), nearest);
		kfree(small);
		kfree(large);
		gfp_t gfp = GFP_KERNEL | __GFP_THISNODE | __GFP_NOWARN;
		CHECK(!kmalloc_node(64, gfp, (int)nid) && !kmalloc_node(20000, gfp, (int)nid),
			"node %u has no memory, and gave some", nid);
	}
	if (!any)
		contract_skip("every node has memory");
}
