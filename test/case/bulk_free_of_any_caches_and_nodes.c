#include <dolmen/init.h>
#include "test/slab_tools.h"

#define NR 240

static void *objects[NR];

/* Sizes and nodes as they come: runs of one cache, or each object of another. */
static bool allocate(unsigned run)
{
	static const size_t sizes[] = {64, 8, 1000, 20000, 0, 8192};
	unsigned nr_nodes = numa_nr_nodes();

	for (unsigned i = 0; i < NR; i++) {
		size_t bytes = sizes[i / run % 6];

		objects[i] = kmalloc_node(bytes, GFP_KERNEL, (int)(i / 3 % nr_nodes));
		if (!objects[i])
			return false;
		fill(objects[i], bytes, i);
	}
	return true;
}

static uint64_t all_in_use(void)
{
	uint64_t sum = 0;

	for (unsigned class = 0; class < NR_KMALLOC_CLASSES; class ++)
		sum += objects_in_use(kmalloc_caches[class][0]);
	return sum;
}

/* What the CPU has at hand is of its own node. */
static void check_home(size_t bytes)
{
	struct kmem_cache *cache = kmalloc_caches[kmalloc_class(bytes)][0];
	void *near[100];

	CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL | __GFP_THISNODE, 100, near), "no memory");
	for (unsigned i = 0; i < 100; i++)
		CHECK(object_node(near[i]) == cpu_to_mem(0), "%zu bytes, of node %u", bytes,
			object_node(near[i]));
	kmem_cache_free_bulk(cache, 100, near);
}

CONTRACT("kfree_bulk takes objects of any caches and nodes, whole pages, and nothing",
	"the first object's cache is asked for the whole array, or push_run compares no node")
{
	uint64_t before = all_in_use();

	for (unsigned run = 1; run <= 16; run *= 2) {
		CHECK(allocate(run), "no memory");
		kfree_bulk(NR, objects);
		CHECK(all_in_use() == before, "runs of %u: %lu objects in use, not %lu", run,
			all_in_use(), before);
		check_home(64);
		check_home(1000);
		dolmen_drain_all();
		CHECK(all_in_use() == before, "runs of %u: %lu objects in use, not %lu", run,
			all_in_use(), before);
	}
}
