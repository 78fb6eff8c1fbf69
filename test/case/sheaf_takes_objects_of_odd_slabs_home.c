#include <dolmen/init.h>

#include "test/slab_tools.h"

CONTRACT("objects of slabs of the smaller order go through sheaves and come back to their slabs",
	"free_alone leaves what lies in a slab of the smaller order")
{
	struct kmem_cache *cache = kmem_cache_create("odd", 2000, 0, 0, NULL);
	void *objects[24];

	CHECK(cache->kc_best.order > cache->kc_min.order, "one order for all");
	for (unsigned i = 0; i < 24; i++) {
		dolmen_fail_pages(
			0, i % 8 == 0); /* the first request of each slab: the large one */
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN);
		CHECK(objects[i], "object %u", i);
	}
	dolmen_fail_pages(0, 0);
	CHECK(stat_of(cache, ORDER_FALLBACK), "no slab of the smaller order");
	for (unsigned i = 0; i < 24; i++)
		kmem_cache_free(cache, objects[i]);
	CHECK(!objects_in_use(cache), "%lu objects in use", objects_in_use(cache));
	kmem_cache_shrink(cache);
	CHECK(!nr_slabs(cache), "%lu slabs are left", nr_slabs(cache));
	destroy_empty(cache);
}
