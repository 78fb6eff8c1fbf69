#include "test/slab_tools.h"

CONTRACT("with SLAB_HWCACHE_ALIGN no object of up to a line straddles two, and larger ones start "
	 "one",
	"object_align does not look at the flag")
{
	for (size_t bytes = 1; bytes <= 300; bytes++) {
		struct kmem_cache *cache =
			kmem_cache_create("lines", bytes, 0, SLAB_HWCACHE_ALIGN, NULL);
		void *objects[5];

		for (unsigned i = 0; i < 5; i++) {
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			size_t offset = (uintptr_t)objects[i] % DOLMEN_CACHE_LINE;

			CHECK(bytes <= DOLMEN_CACHE_LINE ? offset + bytes <= DOLMEN_CACHE_LINE
							 : !offset,
				"%zu bytes at %zu of a line", bytes, offset);
		}
		CHECK(bytes > 32 || cache->kc_stride <= 32, "%zu bytes take %u", bytes,
			cache->kc_stride);
		free_some(cache, objects, 5);
		destroy_empty(cache);
	}
}
