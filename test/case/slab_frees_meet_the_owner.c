#include "test/slab_tools.h"

#define RING 64

static struct kmem_cache *cache;
static uint64_t *ring[RING];
static unsigned arrived, running;
static uint64_t nr_damaged;

static void free_marked(uint64_t *object)
{
	if (object && port_swap(object, 0ul) != 1)
		port_fetch_add(&nr_damaged, 1ul);
	kmem_cache_free(cache, object);
}

/* CPU 0 alone allocates, the others free what they find. */
static void pass_on(void *arg)
{
	(void)arg;
	port_store(&running, 1u);
	start_together(&arrived);
	for (unsigned i = 0; !port_cpu() && i < 100000; i++) {
		uint64_t *object = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN);

		if (object && port_swap(object, 1ul))
			port_fetch_add(&nr_damaged, 1ul);
		free_marked(port_swap(&ring[i % RING], object));
	}
	if (!port_cpu())
		port_store_release(&running, 0u);
	for (unsigned i = port_cpu(); port_load_acquire(&running); i++) {
		free_marked(port_swap(&ring[i % RING], (uint64_t *)NULL));
		if (!(i % RING))
			port_relax();
	}
}

EXACT_CONTRACT(
	"objects freed by others while their owner allocates from the same slab are neither lost "
	"nor given twice",
	"slab_alloc stores the pair instead of exchanging it")
{
	if (test_nr_cpus() < 2) {
		contract_skip("one CPU");
		return;
	}
	cache = kmem_cache_create("owner", 64, 0, 0, traffic_ctor);
	nr_damaged = arrived = 0;
	run_until_collisions(cache, pass_on, NULL, 20);
	for (unsigned i = 0; i < RING; i++)
		free_marked(port_swap(&ring[i], (uint64_t *)NULL));
	CHECK(!nr_damaged, "%lu objects were handed out twice", nr_damaged);
	destroy_empty(cache);
}
