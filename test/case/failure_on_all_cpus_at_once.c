/* Two CPUs that grow at the same moment, at the edge of memory: the one that comes second finds
 * what the first made. */
#include <dolmen/init.h>

#include "test/slab_tools.h"

#define MANY 600

static struct kmem_cache *cache;
static unsigned arrived;
static uint64_t nr_null, nr_damaged;

/* `nr` objects, as a chain through their second words; fewer if memory runs out. */
static uint64_t *take(unsigned nr, uint64_t mark)
{
	uint64_t *chain = NULL;

	while (nr--) {
		uint64_t *object = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN);

		if (!object) {
			port_fetch_add(&nr_null, 1ul);
			continue;
		}
		if (port_swap(object, mark))
			port_fetch_add(&nr_damaged, 1ul);
		object[1] = (uintptr_t)chain;
		chain = object;
	}
	return chain;
}

static void give_back(uint64_t *chain, uint64_t mark)
{
	while (chain) {
		uint64_t *next = (uint64_t *)chain[1];

		if (port_swap(chain, 0ul) != mark)
			port_fetch_add(&nr_damaged, 1ul);
		kmem_cache_free(cache, chain);
		chain = next;
	}
}

static void at_the_edge(void *arg)
{
	unsigned rounds = 400 / test_nr_cpus() + 4;
	uint64_t mark = port_cpu() + 1;

	(void)arg;
	start_together(&arrived);
	for (unsigned round = 0; round < rounds; round++) {
		/* More and less in turn: what one has too few of lies free with the others. */
		if (!port_cpu())
			dolmen_fail_pages(5, round % 4 ? UINT64_MAX : 1);
		give_back(take(180 / (1 + (port_cpu() + round) % 3), mark), mark);
	}
	/* And more than all have. */
	dolmen_fail_pages(0, UINT64_MAX);
	give_back(take(MANY, mark), mark);
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
