#include <dolmen/init.h>
#include "test/slab_tools.h"

#define ROUNDS	300
#define OBJECTS 200

static unsigned stop;

static void tick_and_drain(void *arg)
{
	(void)arg;
	while (!port_load_acquire(&stop)) {
		for (unsigned i = 0; i < 64; i++)
			dolmen_tick();
		dolmen_drain_all();
	}
}

CONTRACT(
	"a cache whose objects are all back is destroyed, whoever trims or drains caches meanwhile",
	"kmem_cache_destroy counts slabs before it waits for those who hold some of the cache")
{
	static void *objects[OBJECTS];
	unsigned nr_cpus = test_nr_cpus(), nr_refused = 0;

	if (nr_cpus == 1) {
		contract_skip("one CPU");
		return;
	}
	port_store(&stop, 0u);
	for (unsigned cpu = 1; cpu < nr_cpus; cpu++)
		test_start_on(cpu, tick_and_drain, NULL);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct kmem_cache *cache = kmem_cache_create("short-lived", 256, 0, 0, NULL);

		for (unsigned i = 0; i < OBJECTS; i++)
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		free_some(cache, objects, OBJECTS);
		for (; !kmem_cache_destroy(cache); nr_refused++)
			;
	}
	port_store_release(&stop, 1u);
	for (unsigned cpu = 1; cpu < nr_cpus; cpu++)
		test_wait_for(cpu);
	CHECK(!nr_refused, "%u times refused", nr_refused);
}
