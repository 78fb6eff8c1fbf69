/* A shrinking realloc that copies the old size overruns the new block; a growing one that copies
 * it reads past the old. */
#include "test/slab_tools.h"

#define NR_SIZES (NR_KMALLOC_CLASSES + 4)

static size_t size_of(unsigned i)
{
	static const size_t large[] = {16385, 32768, 40000, 65536};

	return i < NR_KMALLOC_CLASSES ? kmem_cache_size(kmalloc_caches[i][0])
				      : large[i - NR_KMALLOC_CLASSES];
}

static void move(size_t from, size_t to)
{
	void *old = kmalloc_var(from, GFP_KERNEL), *next[3];

	/* What krealloc gets next lies between two objects that must not change. */
	for (unsigned i = 0; i < 3; i++) {
		next[i] = kmalloc_var(to, GFP_KERNEL);
		fill(next[i], to < 256 ? to : 256, 50 + i);
	}
	kfree(next[1]);
	fill(old, from, 7);
	char *moved = krealloc(old, to, GFP_KERNEL);
	CHECK(moved && ksize(moved) >= to, "%zu to %zu: %p", from, to, (void *)moved);
	CHECK(filled(moved, from < to ? from : to, 7), "%zu to %zu: contents lost", from, to);
	fill(moved, to, 8);
	for (unsigned i = 0; i < 3; i += 2) {
		CHECK(filled(next[i], to < 256 ? to : 256, 50 + i),
			"%zu to %zu: a neighbour changed", from, to);
		kfree(next[i]);
	}
	kfree(moved);
}

CONTRACT("krealloc keeps min(old, new) bytes and touches nothing else, between all classes",
	"krealloc copies the old size when it shrinks")
{
	for (unsigned from = 0; from < NR_SIZES; from++) {
		for (unsigned to = 0; to < NR_SIZES; to++) {
			move(size_of(from), size_of(to) - 5);
		}
	}
}
