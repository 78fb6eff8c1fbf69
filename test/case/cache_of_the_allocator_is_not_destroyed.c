#include "test/slab_tools.h"

CONTRACT("a cache of the allocator's own is not destroyed, and says so",
	"kmem_cache_destroy does not look at SLAB_PERMANENT")
{
	static void *last;

	for (unsigned class = 0; class < NR_KMALLOC_CLASSES; class ++) {
		struct kmem_cache *cache = kmalloc_caches[class][0];

		/* An object out, so that even a broken destroy would not take the cache from
		 * under us. */
		last = kmem_cache_alloc(cache, GFP_KERNEL);
		test_log_clear();
		CHECK(!kmem_cache_destroy(cache), "class %u was destroyed", class);
		CHECK(test_log_has("allocator's own"), "class %u: nothing was said", class);
		kmem_cache_free(cache, last);
		last = kmem_cache_alloc(cache, GFP_KERNEL);
		CHECK(last, "class %u is not usable", class);
		kmem_cache_free(cache, last);
	}
}
