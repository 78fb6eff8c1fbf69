#include "test/slab_tools.h"

static const size_t sizes[] = {8, 64, 512, 1360, 20000};

EXACT_CONTRACT(
	"slabs, objects, objects in use, and slabs by CPU and node are exact when all is quiet",
	"free_on_cpu leaves out the current slab")
{
	static void *objects[1200];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct kmem_cache *cache = kmem_cache_create("exact", sizes[i], 0, 0, NULL);
		unsigned per_slab = cache->kc_best.objects, nr = 2 * per_slab + 1;
		struct cache_stats stats;

		for (unsigned n = 0; n < nr; n++) {
			objects[n] = kmem_cache_alloc(cache, GFP_KERNEL);
			cache_stats(cache, &stats);
			CHECK(objects[n] && stats.in_use == n + 1, "%zu bytes: %lu in use, not %u",
				sizes[i], stats.in_use, n + 1);
		}
		CHECK(stats.slabs == 3 && stats.objects == 3 * per_slab && stats.cpu_slabs == 1 &&
				!stats.partial,
			"%zu bytes: %lu slabs, %lu objects, %lu on CPUs, %lu on nodes", sizes[i],
			stats.slabs, stats.objects, stats.cpu_slabs, stats.partial);
		CHECK(stats.objects_per_slab == per_slab && stats.pages == 3ul << stats.order &&
				stats.order == cache->kc_best.order,
			"%zu bytes: %lu pages", sizes[i], stats.pages);
		size_t slab_bytes = PAGE_SIZE << stats.order;
		CHECK(stats.waste_permille ==
				(slab_bytes - per_slab * sizes[i]) * 1000 / slab_bytes,
			"%zu bytes: %u of 1000 wasted", sizes[i], stats.waste_permille);
		partial_drain_cpu(cache, 0);
		kmem_cache_free(cache, objects[0]);
		cache_stats(cache, &stats);
		unsigned nid = object_node(objects[nr - 1]);
		CHECK(stats.in_use == nr - 1 && stats.cpu_slabs == 1 &&
				stats.partial == (per_slab > 1) &&
				stats.node_partial[nid] == stats.partial,
			"%zu bytes: %lu in use, %lu on CPUs, %lu on nodes", sizes[i], stats.in_use,
			stats.cpu_slabs, stats.partial);
		free_some(cache, objects + 1, nr - 1);
		destroy_empty(cache);
	}
}
