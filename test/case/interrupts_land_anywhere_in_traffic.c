#include "test/slab_tools.h"

static struct traffic traffic;
static uint64_t *from_handlers[DOLMEN_MAX_CPUS];
static uint64_t nr_interrupts;
static unsigned nr_running;

/* On the interrupted CPU, whatever it was doing: frees what its last handler took, and
 * allocates. */
static void handler(void *arg)
{
	uint64_t **mine = &from_handlers[port_cpu()], number = port_fetch_add(&nr_interrupts, 1ul);

	(void)arg;
	if (*mine)
		traffic_free(&traffic, *mine);
	*mine = traffic_alloc(&traffic, 1 | number);
	/* And frees an object that the interrupted CPU, or another, may be about to free or to
	 * look at. */
	uint64_t *other = port_swap(&traffic.slots[number % traffic.nr_slots], (uint64_t *)NULL);
	if (other)
		traffic_free(&traffic, other);
}

static void run(void *arg)
{
	unsigned nr_cpus = test_nr_cpus(), cpu = port_cpu();
	uint64_t random = test_random() | 1;

	(void)arg;
	start_together(&traffic.arrived);
	/* Each CPU interrupts the next one, so interrupts go both ways between any two and hit
	 * CPU 0 too. */
	for (unsigned i = 0; i < traffic.rounds; i++) {
		traffic_step(&traffic, &random);
		if (i % 64 == 0 && nr_cpus > 1)
			test_interrupt((cpu + 1) % nr_cpus, handler, NULL);
	}
	port_fetch_add(&nr_running, -1u);
	/* A CPU that is done stays interruptible until all are. */
	while (port_load_acquire(&nr_running))
		port_relax();
}

CONTRACT("interrupts that allocate and free may land anywhere in calls on all CPUs, and nothing is "
	 "lost",
	"port_irq_save around the slow lock is left out: the handler waits for what it interrupted")
{
	if (test_nr_cpus() < 2) {
		contract_skip("one CPU");
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		struct kmem_cache *cache =
			kmem_cache_create("interrupted", i ? 8 : 512, 0, 0, traffic_ctor);

		traffic = traffic_of(cache, TRAFFIC_SLOTS);
		nr_interrupts = 0;
		nr_running = test_nr_cpus();
		test_run_on_all(run, NULL);
		CHECK(nr_interrupts >= traffic.rounds / 64, "%lu interrupts", nr_interrupts);
		for (unsigned cpu = 0; cpu < test_nr_cpus(); cpu++) {
			if (from_handlers[cpu])
				traffic_free(&traffic, from_handlers[cpu]);
			from_handlers[cpu] = NULL;
		}
		traffic_end(&traffic);
		destroy_empty(cache);
	}
}
