#include <dolmen/init.h>
#include "test/slab_tools.h"

static struct kmem_cache *cache;
static void *objects[40];

/* On a CPU of the node that the cache has no part on. */
static void use_from_there(void *arg)
{
	int near = (int)cpu_to_mem(0), far = (int)cpu_to_mem(port_cpu());

	(void)arg;
	for (unsigned i = 0; i < 40; i++) {
		objects[i] = kmem_cache_alloc_node(cache, GFP_KERNEL, i % 2 ? near : far);
		CHECK(objects[i] && object_node(objects[i]) != (unsigned)far, "object %u: %p", i,
			objects[i]);
	}
	CHECK(!kmem_cache_alloc_node(cache, GFP_KERNEL | __GFP_THISNODE, far),
		"an object of a node without a part");
	for (unsigned i = 0; i < 40; i++)
		kmem_cache_free(cache, objects[i]);
	for (unsigned i = 0; i < 128; i++)
		dolmen_tick();
}

CONTRACT("a cache without a part on a node is served by the nearest that has one, limits and all",
	"nearest_part does not look for the part, or a barn is taken for granted")
{
	unsigned far = far_cpu(), nid = cpu_to_mem(far);

	if (!far) {
		contract_skip("one node");
		return;
	}
	cache = kmem_cache_create("partless", 512, 0, 0, NULL);
	struct kmem_cache_node *part = cache->kc_node[nid];
	cache->kc_node[nid] = NULL; /* as after a start on a node that is too small for it */
	test_run_on(far, use_from_there, NULL);
	cache_set_knob(cache, KNOB_BARN, 3);
	cache_set_knob(cache, KNOB_SHEAF, 2);
	test_run_on(far, use_from_there, NULL);
	CHECK(!objects_in_use(cache), "%lu objects in use", objects_in_use(cache));
	kmem_cache_shrink(cache);
	CHECK(!nr_slabs(cache), "%lu slabs", nr_slabs(cache));
	cache->kc_node[nid] = part;
	destroy_empty(cache);
}
