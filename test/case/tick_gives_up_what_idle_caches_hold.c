#include <dolmen/init.h>
#include "test/slab_tools.h"

static void ticks(unsigned nr)
{
	while (nr--)
		dolmen_tick();
}

EXACT_CONTRACT("ticks take the slabs of an idle cache from the CPU, and leave those of one in use",
	"sweep drains every cache, or none")
{
	struct kmem_cache *idle = kmem_cache_create("idle", 512, 0, 0, NULL);
	struct kmem_cache *busy = kmem_cache_create("busy", 512, 0, 0, NULL);
	void *object = kmem_cache_alloc(idle, GFP_KERNEL),
	     *other = kmem_cache_alloc(busy, GFP_KERNEL);
	unsigned nid = object_node(object);

	for (unsigned i = 0; i < 300; i++) {
		ticks(1);
		kmem_cache_free(busy, other);
		other = kmem_cache_alloc(busy, GFP_KERNEL);
	}
	CHECK(!port_load(&cache_cpu(idle, 0)->cc_nr) && partial_slabs(idle, nid) == 1,
		"the idle cache still has %u slabs on the CPU",
		port_load(&cache_cpu(idle, 0)->cc_nr));
	CHECK(port_load(&cache_cpu(busy, 0)->cc_nr) == 1 && !stat_of(busy, ALLOC_FROM_PARTIAL),
		"the busy cache lost its slab");
	kmem_cache_free(idle, object);
	kmem_cache_free(busy, other);
	destroy_empty(idle);
	destroy_empty(busy);
}
