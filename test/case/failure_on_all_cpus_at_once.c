/* Two CPUs that grow at the same moment, at the edge of memory: the one that comes second finds what the first made. */
#include "mm/page_alloc.h"
#include "test/slab_tools.h"

#define HELD 180

static struct kmem_cache *cache;
static unsigned arrived;
static uint64_t nr_null, nr_damaged;

static void at_the_edge(void *arg)
{
	static uint64_t *held_by[DOLMEN_MAX_CPUS][HELD];
	uint64_t **held = held_by[port_cpu()], mark = port_cpu() + 1;

	(void)arg;
	start_together(&arrived);
	for (unsigned round = 0; round < 400 / test_nr_cpus() + 4; round++) {
		/* More and less in turn: what one has too few of lies free with the others. */
		unsigned nr = HELD / (1 + (port_cpu() + round) % 3);

		/* Memory comes and goes. */
		if (!port_cpu())
			dolmen_fail_pages(5, round % 4 ? UINT64_MAX : 1);
		for (unsigned i = 0; i < nr; i++) {
			held[i] = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN);
			if (!held[i])
				port_fetch_add(&nr_null, 1ul);
			else if (port_swap(held[i], mark))
				port_fetch_add(&nr_damaged, 1ul);
		}
		for (unsigned i = 0; i < nr; i++) {
			if (held[i] && port_swap(held[i], 0ul) != mark)
				port_fetch_add(&nr_damaged, 1ul);
			kmem_cache_free(cache, held[i]);
		}
	}
}

CONTRACT(
	"CPUs that run out of memory together get NULL or an object of their own, and lose nothing",
	"take_anywhere hands out an object and leaves it free")
{
	cache = kmem_cache_create("edge", 2048, 0, 0, traffic_ctor);
	nr_null = nr_damaged = arrived = 0;
	cache_set_knob(cache, KNOB_CPU_SLABS, CPU_SLABS_MAX);
	test_run_on_all(at_the_edge, NULL);
	dolmen_fail_pages(0, 0);
	CHECK(!nr_damaged, "%lu objects were given to two", nr_damaged);
	CHECK(nr_null, "memory never ran out");
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);
	CHECK(object, "not usable afterwards");
	kmem_cache_free(cache, object);
	destroy_empty(cache);
}
