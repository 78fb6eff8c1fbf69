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

CONTRACT("kfree_bulk takes objects of any caches and nodes, whole pages, and nothing",
	"cache_of says what the first object's cache is for the whole array, or cross is not asked "
	"for its home")
{
	uint64_t before = all_in_use();

	for (unsigned run = 1; run <= 16; run *= 2) {
		CHECK(allocate(run), "no memory");
		kfree_bulk(NR, objects);
		CHECK(all_in_use() == before, "runs of %u: %lu objects in use, not %lu", run,
			all_in_use(), before);
		dolmen_drain_all(); /* each sheaf, barn and slab has objects of its own node */
		CHECK(all_in_use() == before, "runs of %u: %lu objects in use, not %lu", run,
			all_in_use(), before);
	}
}
