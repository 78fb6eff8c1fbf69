#include "test/slab_tools.h"

EXACT_CONTRACT("the objects of a slab and the free set at its end share no byte",
	"slab_geometry forgets the words of the free set")
{
	for (size_t stride = 8; stride <= 64; stride += 8) {
		for (unsigned order = 0; order <= 5; order++) {
			struct slab_geometry geometry = slab_geometry(stride, order);
			size_t bytes = PAGE_SIZE << order;
			size_t set = geometry.objects > 64 ? (geometry.objects + 63) / 64 * 8 : 0;

			CHECK(geometry.objects * stride + set <= bytes,
				"%zu bytes, order %u: %u objects", stride, order, geometry.objects);
			CHECK(geometry.objects <= SLAB_OBJECTS_MAX,
				"%u objects do not fit the counters", geometry.objects);
		}
	}
	/* The same in a real slab: every byte of every object is written, and every object is
	 * found and freed. */
	struct kmem_cache *cache = kmem_cache_create("eights", 8, 0, 0, NULL);
	static uint64_t *objects[1024];
	unsigned nr = 2 * cache->kc_best.objects;

	for (unsigned i = 0; i < nr; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		*objects[i] = i ? 0 : ~0ul;
	}
	for (unsigned i = 0; i < nr; i++)
		kmem_cache_free(cache, objects[i]);
	destroy_empty(cache);
}
