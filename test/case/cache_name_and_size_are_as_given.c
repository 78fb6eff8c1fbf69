#include "lib/string.h"
#include "test/slab_tools.h"

CONTRACT("a cache shows the name and the size that it was made with, not its stride",
	"kmem_cache_size returns the stride")
{
	static const size_t sizes[] = {1, 7, 8, 100, 4097, 65535, KMALLOC_MAX_SIZE};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct kmem_cache *cache = kmem_cache_create("named so", sizes[i], 64, 0, NULL);
		struct cache_stats stats;

		CHECK(cache && kmem_cache_size(cache) == sizes[i], "%zu bytes", sizes[i]);
		if (!cache)
			continue;
		cache_stats(cache, &stats);
		CHECK(!strcmp(stats.name, "named so") && stats.object_bytes == sizes[i] &&
				stats.stride_bytes >= sizes[i] && stats.stride_bytes % 64 == 0,
			"statistics show %s, %u bytes, %u apart", stats.name, stats.object_bytes,
			stats.stride_bytes);
		destroy_empty(cache);
	}
}
