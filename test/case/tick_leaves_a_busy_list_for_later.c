#include <dolmen/init.h>
#include "test/slab_tools.h"

#define MANY_TICKS 300

static void tick_often(struct kmem_cache *first, void *cache)
{
	(void)first;
	for (unsigned i = 0; i < MANY_TICKS; i++)
		dolmen_tick();
	CHECK(port_load(&cache_cpu(cache, 0)->cc_nr), "swept with the list held");
}

CONTRACT("a tick that lands while the list of caches is held waits for nobody, and the next one "
	 "sweeps",
	"dolmen_tick waits for the list: the machine stands")
{
	struct kmem_cache *cache = kmem_cache_create("swept", 512, 0, 0, NULL);
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);

	CHECK(cache_visit(0, tick_often, cache), "no cache");
	for (unsigned i = 0; i < MANY_TICKS; i++)
		dolmen_tick();
	CHECK(!port_load(&cache_cpu(cache, 0)->cc_nr), "not swept afterwards");
	kmem_cache_free(cache, object);
	destroy_empty(cache);
}
