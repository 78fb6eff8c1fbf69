#include <dolmen/init.h>

#include "test/slab_tools.h"

EXACT_CONTRACT("a slab that cannot have its best order gets the smallest that holds an object",
	"slab_pages keeps the best geometry with the smaller block, or gives up")
{
	struct kmem_cache *cache = kmem_cache_create("fallback", 1360, 0, 0, NULL);
	static void *objects[64];
	unsigned nr = 0;

	CHECK(cache->kc_best.order > cache->kc_min.order, "1360 bytes have no smaller order");
	dolmen_fail_pages(0, 1);
	do {
		objects[nr] = kmem_cache_alloc(cache, GFP_KERNEL);
		if (!objects[nr])
			break;
		fill(objects[nr], 1360, nr);
		nr++;
	} while (nr < 64 && nr < cache->kc_min.objects + cache->kc_best.objects);
	CHECK(nr == cache->kc_min.objects + cache->kc_best.objects, "%u objects", nr);
	CHECK(stat_of(cache, ORDER_FALLBACK) == 1, "counted %lu times",
		stat_of(cache, ORDER_FALLBACK));
	struct page *small = slab_of(objects[0]);
	CHECK(port_load(&small->pg_order) == cache->kc_min.order, "order %u",
		port_load(&small->pg_order));
	CHECK(pair_objects(slab_pair(small).hi) == cache->kc_min.objects, "%u objects in it",
		pair_objects(slab_pair(small).hi));
	for (unsigned i = 0; i < nr; i++) {
		CHECK(filled(objects[i], 1360, i), "object %u shares memory", i);
		kmem_cache_free(cache, objects[i]);
	}
	destroy_empty(cache);
}
