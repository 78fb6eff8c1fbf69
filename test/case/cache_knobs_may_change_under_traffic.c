#include "test/slab_tools.h"

static struct traffic traffic;

static void turn(void *arg)
{
	uint64_t random = test_random() | 1;

	if (port_cpu() || test_nr_cpus() == 1) {
		traffic_run(arg);
		return;
	}
	start_together(&traffic.arrived);
	for (unsigned i = 0; i < traffic.rounds / 4; i++) {
		traffic_step(&traffic, &random);
		cache_set_knob(traffic.cache, KNOB_CPU_SLABS, (unsigned)(random >> 20) % 9);
		cache_set_knob(traffic.cache, KNOB_MIN_PARTIAL, (unsigned)(random >> 30) % 5);
		cache_set_knob(traffic.cache, KNOB_REMOTE_RATIO, (unsigned)(random >> 40) % 101);
	}
}

CONTRACT("changing a cache's limits while all CPUs use it loses no object and no slab",
	"hand_over_half drops a slab that it does not hand over")
{
	struct kmem_cache *cache = kmem_cache_create("turned", 512, 0, 0, traffic_ctor);

	traffic = traffic_of(cache, TRAFFIC_SLOTS);
	test_run_on_all(turn, &traffic);
	traffic_end(&traffic);
	destroy_empty(cache);
}
