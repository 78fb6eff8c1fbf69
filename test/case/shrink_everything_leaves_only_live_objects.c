/* Frames were missing after a slab reclaim elsewhere: all caches are used on all CPUs, one
 * object stays, everything else is given back. */
#include <dolmen/init.h>
#include "mm/page_alloc.h"
#include "test/slab_tools.h"

static void use_all(void *arg)
{
	static void *objects[DOLMEN_MAX_CPUS][NR_KMALLOC_CLASSES];
	void **mine = objects[port_cpu()];

	(void)arg;
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned class = 0; class < NR_KMALLOC_CLASSES; class ++)
			mine[class] = kmalloc_var(kmem_cache_size(kmalloc_caches[class][0]),
				GFP_KERNEL | __GFP_NOWARN);
		for (unsigned class = 0; class < NR_KMALLOC_CLASSES; class ++)
			kfree(mine[class]);
	}
}

static uint64_t free_now(void)
{
	dolmen_drain_all();
	page_alloc_drain();
	return numa_free_pages(NUMA_NO_NODE);
}

CONTRACT("after draining everything the free pages are exactly those before, but for slabs with "
	 "live objects",
	"partial_shrink_node forgets the order of a slab, or a CPU is left out")
{
	uint64_t before = free_now();

	test_run_on_all(use_all, NULL);
	CHECK(free_now() == before, "%lu pages are missing", before - free_now());
	void *live = kmalloc(1000, GFP_KERNEL);
	test_run_on_all(use_all, NULL);
	uint64_t held = before - free_now();
	CHECK(held <= 1ul << port_load(&slab_of(live)->pg_order), "one object holds %lu pages",
		held);
	CHECK(!dolmen_drain_all(), "a second drain found pages");
	kfree(live);
	CHECK(free_now() == before, "%lu pages are missing", before - free_now());
}
