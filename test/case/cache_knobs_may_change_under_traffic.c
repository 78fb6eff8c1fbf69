#include "test/slab_tools.h"

static struct traffic traffic;

static void run_or_turn(void *arg)
{
	(void)arg;
	if (port_cpu() || test_nr_cpus() == 1) {
		traffic_run(&traffic);
		return;
	}
	for (unsigned i = 0; i < 2000; i++) {
		cache_set_knob(traffic.cache, KNOB_CPU_SLABS, (unsigned)test_random() % 9);
		cache_set_knob(traffic.cache, KNOB_MIN_PARTIAL, (unsigned)test_random() % 5);
		cache_set_knob(traffic.cache, KNOB_REMOTE_RATIO, (unsigned)test_random() % 101);
		uint64_t *object = traffic_alloc(&traffic, 1 | test_random());
		if (object)
			traffic_free(&traffic, object);
	}
}

CONTRACT("changing a cache's limits while all CPUs use it loses no object and no slab",
	"hand_over_half drops a slab that it does not hand over")
{
	traffic = (struct traffic){.cache = kmem_cache_create("turned", 512, 0, 0, traffic_ctor),
		.rounds = 60000 / test_nr_cpus()};
	test_run_on_all(run_or_turn, NULL);
	traffic_end(&traffic);
	destroy_empty(traffic.cache);
}
