#include <dolmen/numa.h>
#include <dolmen/slab.h>
#include "mm/slab.h"
#include "test/contract.h"

#define SLAB_OBJECTS 64 /* of 64 bytes in a page */

static struct kmem_cache *cache;
static void *objects[4 * SLAB_OBJECTS];

static void free_first(void *arg)
{
	(void)arg;
	kmem_cache_free(cache, objects[0]);
}

EXACT_CONTRACT(
	"a full slab that gets an object back is kept by the CPU that freed it, if its memory is "
	"near",
	"partial_free always lists a slab that was full")
{
	unsigned helper = 0;

	for (unsigned cpu = 1; cpu < test_nr_cpus() && !helper; cpu++)
		if (cpu_to_mem(cpu) == cpu_to_mem(0))
			helper = cpu;
	if (!helper) {
		contract_skip("no second CPU on this memory node");
		return;
	}
	cache = kmem_cache_create("full", 64, 0, 0, NULL);
	/* Enough that the first slab is used up and thawed. */
	for (unsigned i = 0; i < 4 * SLAB_OBJECTS; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	test_run_on(helper, free_first, NULL);

	struct kmem_cache_cpu *c = cache_cpu(cache, helper);
	CHECK(port_load(&c->cc_nr) == 1, "CPU %u holds %u slabs", helper, port_load(&c->cc_nr));
	CHECK(port_load(&c->cc_slab[0]) == addr_to_page(objects[0]),
		"not the slab that was freed into");
	CHECK(slab_pair(addr_to_page(objects[0])).hi & SLAB_FROZEN, "not frozen");
	for (unsigned i = 1; i < 4 * SLAB_OBJECTS; i++)
		kmem_cache_free(cache, objects[i]);
	CHECK(kmem_cache_destroy(cache), "objects left");
}
