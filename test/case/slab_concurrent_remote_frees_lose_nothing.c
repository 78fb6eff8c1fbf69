#include "test/slab_tools.h"

#define NR_OBJECTS 32768

static struct kmem_cache *cache;
static void *objects[NR_OBJECTS];
static unsigned arrived, next;
static uint64_t nr_damaged;

/* CPU 0 fills the table, and all free it, each the next object: so all are in the same slab all
 * the time. */
static void free_share(void *arg)
{
	(void)arg;
	if (!port_cpu())
		port_store(&next, 0u);
	for (unsigned i = 0; !port_cpu() && i < NR_OBJECTS; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN);
		if (objects[i])
			fill(objects[i], 64, i);
	}
	start_together(&arrived);
	for (unsigned i; (i = port_fetch_add(&next, 1u)) < NR_OBJECTS;) {
		if (objects[i] && !filled(objects[i], 64, i))
			port_fetch_add(&nr_damaged, 1ul);
		kmem_cache_free(cache, objects[i]);
	}
}

EXACT_CONTRACT("frees of one slab's objects from all CPUs at once lose none",
	"cmpxchg16b without its lock prefix, or an exchange that is not tried again")
{
	cache = kmem_cache_create("remote", 64, 0, 0, NULL);
	nr_damaged = arrived = 0;
	run_until_collisions(cache, free_share, NULL, 20);
	CHECK(!nr_damaged, "%lu objects damaged", nr_damaged);
	destroy_empty(cache);
}
