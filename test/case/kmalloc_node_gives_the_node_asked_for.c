#include "test/slab_tools.h"

static const size_t sizes[] = {8, 64, 100, 512, 2000, 16384, 16385, 65536};

CONTRACT(
	"kmalloc_node gives memory of the node asked for, for small and large, and NULL for a node "
	"that does not exist",
	"partial_alloc_node does not look at the node of this CPU's slabs")
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
			unsigned want = (unsigned)numa_fallback(nid, 0);
			void *objects[5];

			for (unsigned n = 0; n < 5; n++) {
				objects[n] = kmalloc_node(sizes[i], GFP_KERNEL, (int)nid);
				CHECK(objects[n] && object_node(objects[n]) == want,
					"%zu bytes, node %u: got %p of node %u", sizes[i], nid,
					objects[n], objects[n] ? object_node(objects[n]) : 0);
			}
			for (unsigned n = 0; n < 5; n++)
				kfree(objects[n]);
		}
		int none[] = {(int)numa_nr_nodes(), DOLMEN_MAX_NODES, -2, 1 << 30, -(1 << 30)};
		for (unsigned n = 0; n < 5; n++) {
			void *object = kmalloc_node(sizes[i], GFP_KERNEL | __GFP_NOWARN, none[n]);

			CHECK(!object, "%zu bytes of node %d: %p", sizes[i], none[n], object);
			kfree(object);
		}
	}
}
