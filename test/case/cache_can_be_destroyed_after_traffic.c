#include "test/slab_tools.h"

static struct traffic traffic;

CONTRACT("a cache can be destroyed right after traffic on all CPUs, with every page given back",
	"the number of a node's slabs is not changed atomically")
{
	for (unsigned i = 0; i < 8; i++) {
		/* One or two objects a slab, so that slabs come and go at a high rate. */
		traffic = (struct traffic){.cache = kmem_cache_create("traffic",
						   i & 1 ? 16384 : 256, 0, 0, traffic_ctor),
			.rounds = 30000 / test_nr_cpus()};
		cache_set_knob(traffic.cache, KNOB_CPU_SLABS, 1);
		cache_set_knob(traffic.cache, KNOB_MIN_PARTIAL, 0);
		test_run_on_all(traffic_run, &traffic);
		traffic_end(&traffic);
		destroy_empty(traffic.cache);
	}
}
