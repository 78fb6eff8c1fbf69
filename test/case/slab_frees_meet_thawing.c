/* Two objects a slab: every other allocation uses one up, so frees keep meeting slabs that are thawed just then. */
#include "test/slab_tools.h"

static struct traffic traffic;

CONTRACT("objects freed while their slab is being thawed are neither lost nor given twice",
	"unfreeze_full stores the counters instead of exchanging the pair")
{
	traffic = (struct traffic){.cache = kmem_cache_create("thaw", 16384, 0, 0, traffic_ctor),
		.rounds = 100000 / test_nr_cpus()};
	struct kmem_cache *cache = traffic.cache;

	CHECK(cache->kc_best.objects == 2, "%u objects a slab", cache->kc_best.objects);
	cache_set_knob(cache, KNOB_CPU_SLABS, 2);
	test_run_on_all(traffic_run, &traffic);
	CHECK(test_nr_cpus() == 1 || stat_of(cache, CPU_PARTIAL_FREE), "no slab was ever taken up");
	traffic_end(&traffic);
	destroy_empty(cache);
}
