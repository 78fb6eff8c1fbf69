#include "test/slab_tools.h"

#define NR 48

static struct traffic traffic;
static unsigned nr_running;
static uint64_t nr_interrupts;

/* NULL among them is ignored. */
static void free_many(uint64_t **objects, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		if (objects[i] && !port_swap(objects[i], (uint64_t)0))
			port_fetch_add(&traffic.nr_damaged, (uint64_t)1);
	kmem_cache_free_bulk(traffic.cache, nr, (void **)objects);
}

/* All objects are marked as somebody's; half of them change places with what others had. */
static void exchange_many(uint64_t mark, unsigned nr)
{
	uint64_t *objects[NR];

	if (!kmem_cache_alloc_bulk(
		    traffic.cache, GFP_ATOMIC | __GFP_NOWARN, nr, (void **)objects)) {
		port_fetch_add(&traffic.nr_null, (uint64_t)1);
		return;
	}
	for (unsigned i = 0; i < nr; i++)
		if (port_swap(objects[i], mark))
			port_fetch_add(&traffic.nr_damaged, (uint64_t)1);
	for (unsigned i = 0; i < nr; i += 2)
		objects[i] =
			port_swap(&traffic.slots[(mark / 16 + i) % traffic.nr_slots], objects[i]);
	free_many(objects, nr);
}

static void handler(void *arg)
{
	(void)arg;
	exchange_many(1 | port_fetch_add(&nr_interrupts, (uint64_t)1) << 8, NR / 4);
}

static void run(void *arg)
{
	unsigned nr_cpus = test_nr_cpus(), cpu = port_cpu();
	uint64_t random = test_random() | 1;

	(void)arg;
	start_together(&traffic.arrived);
	for (unsigned i = 0; i < traffic.rounds / 8; i++) {
		random = random * 6364136223846793005ul + 1442695040888963407ul;
		exchange_many(random | 1, 1 + (unsigned)(random >> 40) % NR);
		if (i % 8 == 0 && nr_cpus > 1)
			test_interrupt((cpu + 1) % nr_cpus, handler, NULL);
		if (i % 64 == 0)
			kmem_cache_shrink(traffic.cache);
	}
	port_fetch_add(&nr_running, -1u);
	while (port_load_acquire(&nr_running)) /* stays interruptible until all are done */
		port_relax();
}

CONTRACT("interrupts, other CPUs and drains may land anywhere in requests and frees of many",
	"take_rest loses the sheaf that it traded for, or sheaf_push_run leaves interrupts on")
{
	static const size_t sizes[] = {8, 64, 1024};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct kmem_cache *cache = kmem_cache_create("many", sizes[i], 0, 0, traffic_ctor);

		traffic = traffic_of(cache, TRAFFIC_SLOTS);
		nr_running = test_nr_cpus();
		nr_interrupts = 0;
		test_run_on_all(run, NULL);
		CHECK(test_nr_cpus() == 1 || nr_interrupts, "no interrupts");
		for (unsigned k = 0; k < TRAFFIC_SLOTS; k++) {
			if (traffic.slots[k])
				free_many(&traffic.slots[k], 1);
			traffic.slots[k] = NULL;
		}
		traffic_end(&traffic);
		destroy_empty(cache);
	}
}
