/* Two objects a slab: every other allocation uses one up, so frees keep meeting slabs that are
 * thawed just then. */
#include "test/slab_tools.h"

static struct traffic traffic;

EXACT_CONTRACT("objects freed while their slab is being thawed are neither lost nor given twice",
	"unfreeze_full stores the counters instead of exchanging the pair")
{
	struct kmem_cache *cache = kmem_cache_create("thaw", 16384, 0, 0, traffic_ctor);

	CHECK(cache->kc_best.objects == 2, "%u objects a slab", cache->kc_best.objects);
	traffic = traffic_of(cache, 16);
	run_until_collisions(cache, traffic_run, &traffic, 20);
	CHECK(stat_of(cache, CPU_PARTIAL_FREE), "no slab was ever taken up");
	traffic_end(&traffic);
	destroy_empty(cache);
}
