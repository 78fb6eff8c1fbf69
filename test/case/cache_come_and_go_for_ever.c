#include "test/slab_tools.h"

CONTRACT("caches can be created and destroyed for ever: per-CPU areas do not fill up",
	"take_apart forgets percpu_free")
{
	for (unsigned i = 0; i < 1000; i++) {
		struct kmem_cache *cache = kmem_cache_create("fleeting", 8 + i % 5000, 0, 0, NULL);

		if (!cache) {
			CHECK(cache, "cache %u was not made", i);
			return;
		}
		void *object = kmem_cache_alloc(cache, GFP_KERNEL);
		CHECK(object, "no object of cache %u", i);
		kmem_cache_free(cache, object);
		CHECK(kmem_cache_destroy(cache), "cache %u was not destroyed", i);
	}
}
