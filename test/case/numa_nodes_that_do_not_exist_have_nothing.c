#include <dolmen/numa.h>
#include "mm/page_alloc.h"
#include "test/slab_tools.h"

CONTRACT("a node that does not exist has no memory, no free page and no object, and no node is any "
	 "node",
	"numa_has_memory looks into its table past the last node")
{
	const unsigned nid = numa_nr_nodes();
	struct kmem_cache *cache = kmem_cache_create("anywhere", 100, 0, 0, NULL);
	void *object = kmem_cache_alloc_node(cache, GFP_KERNEL, NUMA_NO_NODE);

	CHECK(object && object_node(object) == cpu_to_mem(0), "NUMA_NO_NODE is not the own");
	kmem_cache_free(cache, object);
	CHECK(!numa_has_memory(nid) && !numa_has_memory(DOLMEN_MAX_NODES), "memory");
	CHECK(!numa_free_pages((int)nid), "%lu free pages", numa_free_pages((int)nid));
	CHECK(!kmem_cache_alloc_node(cache, GFP_KERNEL, (int)nid), "an object");
	CHECK(!kmem_cache_alloc_node(cache, GFP_KERNEL, -2), "an object of a negative node");
	CHECK(!kmalloc_node(KMALLOC_MAX_SIZE, GFP_KERNEL | __GFP_NOWARN, (int)nid),
		"a large block");
	CHECK(!kmalloc_node(KMALLOC_MAX_SIZE + 1, GFP_KERNEL | __GFP_NOWARN, 0),
		"more than a block");
	destroy_empty(cache);
}
