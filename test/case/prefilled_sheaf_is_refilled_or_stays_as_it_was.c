#include "mm/page_alloc.h"
#include "test/slab_tools.h"

#define GFP (GFP_KERNEL | __GFP_NOWARN)

static struct kmem_cache *cache;

/* All it has, each with a mark of its own, goes back. */
static void take_all_of(struct slab_sheaf *sheaf, unsigned nr)
{
	void *objects[400];

	for (unsigned i = 0; i < nr; i++) {
		objects[i] = kmem_cache_alloc_from_sheaf(cache, GFP, sheaf);
		CHECK(objects[i], "object %u of %u is missing", i, nr);
		if (objects[i])
			fill(objects[i], 1000, i);
	}
	CHECK(!kmem_cache_alloc_from_sheaf(cache, GFP, sheaf), "more than %u", nr);
	for (unsigned i = 0; i < nr; i++)
		CHECK(!objects[i] || filled(objects[i], 1000, i), "object %u shares memory", i);
	kmem_cache_free_bulk(cache, nr, objects);
	CHECK(!objects_in_use(cache), "%lu in use", objects_in_use(cache));
}

/* From `first` objects, of which some are taken, to `size`, with so many page requests granted. */
static bool refill(unsigned first, unsigned size, unsigned granted)
{
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP, first);
	void *one = kmem_cache_alloc_from_sheaf(cache, GFP, sheaf);
	unsigned before = kmem_cache_sheaf_size(sheaf);

	dolmen_fail_pages(granted, UINT64_MAX);
	int error = kmem_cache_refill_sheaf(cache, GFP, &sheaf, size);
	dolmen_fail_pages(0, 0);
	unsigned after = error || size < before ? before : size;
	CHECK(kmem_cache_sheaf_size(sheaf) == after, "from %u to %u: %u, error %d", before, size,
		kmem_cache_sheaf_size(sheaf), error);
	kmem_cache_free(cache, one);
	CHECK(objects_in_use(cache) == after, "%lu in use, not %u", objects_in_use(cache), after);
	take_all_of(sheaf, after);
	kmem_cache_return_sheaf(cache, GFP, sheaf);
	kmem_cache_shrink(cache);
	return !error;
}

CONTRACT("a sheaf that is refilled has at least what was asked for, or what it had",
	"kmem_cache_refill_sheaf forgets the old objects of a sheaf that moves, or a fill that "
	"fails takes some along")
{
	static const unsigned sizes[][2] = {{10, 0}, {10, 9}, {10, 10}, {10, 11}, {10, 400}};
	unsigned nr_failed = 0;

	cache = kmem_cache_create("aside", 1000, 0, 0, NULL);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned granted = 0;

		while (!refill(sizes[i][0], sizes[i][1], granted) && granted++ < 200)
			nr_failed++;
		CHECK(granted < 200, "from %u to %u fails whatever is granted", sizes[i][0],
			sizes[i][1]);
	}
	CHECK(nr_failed > 10, "%u refills failed", nr_failed);
	destroy_empty(cache);
}
