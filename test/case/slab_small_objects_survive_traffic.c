/* Slabs of more than 64 objects: the window of free bits moves while others free outside and
 * inside it. */
#include "mm/check.h"
#include "test/slab_tools.h"

static struct traffic traffic;

EXACT_CONTRACT("slabs of hundreds of small objects lose none while all CPUs take and free them",
	"load_window stores the word's bits into the pair instead of exchanging")
{
	static const size_t sizes[] = {8, 24, 56};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct kmem_cache *cache = kmem_cache_create("small", sizes[i], 8, 0, traffic_ctor);
		uint64_t reports = check_reports();

		CHECK(cache->kc_best.objects > 64, "%u objects a slab", cache->kc_best.objects);
		traffic = traffic_of(cache, 200);
		run_until_collisions(cache, traffic_run, &traffic, 20);
		CHECK(check_reports() == reports, "%lu frees were taken for double",
			check_reports() - reports);
		traffic_end(&traffic);
		destroy_empty(cache);
	}
}
