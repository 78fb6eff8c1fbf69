#include "test/slab_tools.h"

#define RING 512

static struct kmem_cache *cache;
static uint64_t *ring[RING];
static unsigned done;
static uint64_t nr_damaged;

static void pass_on(void *arg)
{
	unsigned rounds = *(unsigned *)arg, other = 0;

	if (!port_cpu()) {
		for (unsigned i = 0; i < rounds; i++) {
			uint64_t *object = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN);

			if (object && port_swap(object, 1ul))
				port_fetch_add(&nr_damaged, 1ul);
			object = port_swap(&ring[i % RING], object);
			if (object && port_swap(object, 0ul) != 1)
				port_fetch_add(&nr_damaged, 1ul);
			kmem_cache_free(cache, object);
		}
		port_store_release(&done, 1u);
		return;
	}
	for (unsigned i = port_cpu(); !port_load_acquire(&done); i++) {
		uint64_t *object = port_swap(&ring[i % RING], (uint64_t *)NULL);

		if (!object) {
			port_relax();
			continue;
		}
		if (port_swap(object, 0ul) != 1)
			port_fetch_add(&nr_damaged, 1ul);
		kmem_cache_free(cache, object);
		other++;
	}
	port_fetch_add((unsigned *)arg + 1, other);
}

CONTRACT("objects freed by others while their owner allocates from the same slab are neither lost "
	 "nor given twice",
	"slab_take stores the pair instead of exchanging it")
{
	unsigned counts[2] = {150000, 0};

	if (test_nr_cpus() < 2) {
		contract_skip("one CPU");
		return;
	}
	cache = kmem_cache_create("owner", 64, 0, 0, traffic_ctor);
	nr_damaged = done = 0;
	test_run_on_all(pass_on, counts);
	for (unsigned i = 0; i < RING; i++) {
		if (ring[i])
			*ring[i] = 0;
		kmem_cache_free(cache, ring[i]);
		ring[i] = NULL;
	}
	CHECK(!nr_damaged, "%lu objects were handed out twice", nr_damaged);
	if (!counts[1])
		contract_skip("no other CPU ever freed");
	destroy_empty(cache);
}
