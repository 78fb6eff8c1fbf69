#include "test/slab_tools.h"

#define NR_OBJECTS 2048
#define NR_BATCHES 200

static struct kmem_cache *cache;
static uint64_t *objects[NR_OBJECTS];
static uint64_t nr_damaged;
static unsigned nr_ready;

/* Neighbours in a slab are freed by different CPUs at about the same time. */
static void free_share(void *arg)
{
	(void)arg;
	port_fetch_add(&nr_ready, 1u);
	while (port_load_acquire(&nr_ready) % test_nr_cpus())
		port_relax();
	for (unsigned i = port_cpu(); i < NR_OBJECTS; i += test_nr_cpus()) {
		if (!objects[i])
			continue;
		if (!filled(objects[i], 64, i))
			port_fetch_add(&nr_damaged, 1ul);
		kmem_cache_free(cache, objects[i]);
	}
}

CONTRACT("frees of one slab's objects from all CPUs at once lose none",
	"cmpxchg16b without its lock prefix, or an exchange that is not tried again")
{
	cache = kmem_cache_create("remote", 64, 0, 0, NULL);
	nr_damaged = 0;
	for (unsigned batch = 0; batch < NR_BATCHES / 4 ||
				 (batch < NR_BATCHES && !stat_of(cache, CMPXCHG_DOUBLE_FAIL));
		batch++) {
		for (unsigned i = 0; i < NR_OBJECTS; i++) {
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN);
			if (objects[i])
				fill(objects[i], 64, i);
		}
		test_run_on_all(free_share, NULL);
		CHECK(!objects_in_use(cache), "batch %u: %lu objects in use", batch,
			objects_in_use(cache));
	}
	CHECK(!nr_damaged, "%lu objects damaged", nr_damaged);
	if (!stat_of(cache, CMPXCHG_DOUBLE_FAIL))
		contract_skip("no exchange ever collided");
	destroy_empty(cache);
}
