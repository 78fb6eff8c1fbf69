/* An alignment above the object's size, above a page, above 2 MiB stopped other allocators with
 * an assertion. */
#include "test/slab_tools.h"

static const size_t sizes[] = {1, 8, 24, 100, 4096, 5000, 70000};

CONTRACT("a cache honours every power of two as alignment, or is not made",
	"object_align takes the smaller of two alignments, or slabs of the largest orders are not "
	"aligned")
{
	for (size_t align = 1; align <= KMALLOC_MAX_SIZE; align *= 2) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct kmem_cache *cache =
				kmem_cache_create("aligned", sizes[i], align, 0, NULL);
			void *objects[3];

			CHECK(cache, "%zu bytes aligned to %zu: not made", sizes[i], align);
			if (!cache)
				continue;
			for (unsigned n = 0; n < 3; n++) {
				objects[n] = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN);
				CHECK(!((uintptr_t)objects[n] & (align - 1)),
					"%zu bytes aligned to %zu: %p", sizes[i], align,
					objects[n]);
				CHECK(objects[n] || align > 1ul << 20,
					"%zu bytes aligned to %zu: NULL", sizes[i], align);
			}
			for (unsigned n = 0; n < 3; n++)
				kmem_cache_free(cache, objects[n]);
			destroy_empty(cache);
		}
	}
	test_log_clear();
	CHECK(!kmem_cache_create("aligned", 64, KMALLOC_MAX_SIZE * 2, 0, NULL),
		"8 MiB was promised");
	CHECK(!kmem_cache_create("aligned", 64, 24, 0, NULL), "24 was promised");
	CHECK(test_log_has("aligned not made"), "nothing was said");
}
