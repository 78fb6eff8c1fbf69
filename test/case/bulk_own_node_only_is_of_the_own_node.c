#include "test/slab_tools.h"

#define NR 200

static struct kmem_cache *cache;
static void *objects[NR];

static void from_elsewhere(void *arg)
{
	(void)arg;
	CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL | __GFP_THISNODE, NR, objects), "no objects");
	for (unsigned i = 0; i < NR; i++)
		CHECK(object_node(objects[i]) == cpu_to_mem(port_cpu()),
			"object %u of node %u on CPU %u", i, object_node(objects[i]), port_cpu());
}

CONTRACT("many objects of the own node only are all of it, whichever node the last ones came from",
	"take_rest takes full sheaves of node 0's barn")
{
	cache = kmem_cache_create("many", 200, 0, 0, NULL);
	cache_set_knob(cache, KNOB_REMOTE_RATIO, 100);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned cpu = 0; cpu < test_nr_cpus(); cpu++) {
			test_run_on(cpu, from_elsewhere, NULL);
			/* Here they are another node's, and the next CPU finds them. */
			kmem_cache_free_bulk(cache, NR, objects);
		}
	}
	destroy_empty(cache);
}
