#include "test/slab_tools.h"

static struct traffic traffic;
static unsigned nr_running;

static void run_or_shrink(void *arg)
{
	if (port_cpu()) {
		traffic_run(arg);
		port_fetch_add(&nr_running, -1u);
		return;
	}
	start_together(&traffic.arrived);
	while (port_load_acquire(&nr_running)) {
		kmem_cache_shrink(traffic.cache);
		port_relax();
	}
}

EXACT_CONTRACT("shrinking a cache while all other CPUs use it loses no object and no slab",
	"partial_drain_cpu does not take the slow lock of the CPU it drains")
{
	if (test_nr_cpus() < 2) {
		contract_skip("one CPU");
		return;
	}
	struct kmem_cache *cache = kmem_cache_create("drained", 4096, 0, 0, traffic_ctor);

	traffic = traffic_of(cache, 64);
	for (unsigned i = 0; i < 6; i++) {
		nr_running = test_nr_cpus() - 1;
		test_run_on_all(run_or_shrink, &traffic);
	}
	traffic_end(&traffic);
	destroy_empty(cache);
}
