#include <dolmen/init.h>

#include "test/slab_tools.h"

CONTRACT("a request for the own node alone, or for zeroes, is NULL when no page can be had",
	"slab_finished or slab_zeroed writes through NULL")
{
	struct kmem_cache *cache = kmem_cache_create("short", 3000, 0, 0, NULL);
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;

	dolmen_fail_pages(0, UINT64_MAX);
	CHECK(!kmem_cache_alloc(cache, gfp | __GFP_THISNODE), "an object");
	CHECK(!kmem_cache_alloc(cache, gfp | __GFP_ZERO), "zeroes");
	CHECK(!kmem_cache_alloc_node(cache, gfp | __GFP_ZERO, (int)cpu_to_mem(0)), "of a node");
	CHECK(!kmem_cache_alloc_node(cache, gfp | __GFP_THISNODE, (int)cpu_to_mem(0)), "this node");
	dolmen_fail_pages(0, 0);
	destroy_empty(cache);
}
