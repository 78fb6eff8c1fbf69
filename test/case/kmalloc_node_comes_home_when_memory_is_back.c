#include <dolmen/page.h>
#include "test/slab_tools.h"

CONTRACT("a node that was dry is asked again once it has pages, whatever another has on its lists",
	"partial_alloc_node goes by kn_dry alone")
{
	struct kmem_cache *cache = kmem_cache_create("was dry", 512, 0, 0, NULL);
	int near = (int)cpu_to_mem(0), far = numa_fallback((unsigned)near, 1);
	void *from_far, *wish;

	if (far == NUMA_NO_NODE) {
		contract_skip("one node");
		kmem_cache_destroy(cache);
		return;
	}
	from_far = kmem_cache_alloc_node(cache, GFP_KERNEL | __GFP_THISNODE, far);
	port_store(&cache->kc_node[near]->kn_dry, true); /* as a dry node leaves it */
	wish = kmem_cache_alloc_node(cache, GFP_KERNEL, near);
	CHECK(object_node(wish) == (unsigned)near, "an object of node %u, not %d",
		object_node(wish), near);
	kmem_cache_free(cache, from_far);
	kmem_cache_free(cache, wish);
	destroy_empty(cache);
}
