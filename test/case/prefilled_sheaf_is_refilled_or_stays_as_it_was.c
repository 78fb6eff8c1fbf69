#include <dolmen/init.h>

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

/* From `first` objects, of which some are out, to `size`, with so many page requests granted. */
static bool refill(unsigned first, unsigned nr_out, unsigned size, unsigned granted)
{
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP, first);
	unsigned before = first - nr_out;
	void *out[400];

	for (unsigned i = 0; i < nr_out; i++)
		out[i] = kmem_cache_alloc_from_sheaf(cache, GFP, sheaf);
	dolmen_fail_pages(granted, UINT64_MAX);
	int error = kmem_cache_refill_sheaf(cache, GFP, &sheaf, size);
	dolmen_fail_pages(0, 0);
	unsigned after = error || size < before ? before : size;
	CHECK(kmem_cache_sheaf_size(sheaf) == after, "from %u to %u: %u, error %d", before, size,
		kmem_cache_sheaf_size(sheaf), error);
	kmem_cache_free_bulk(cache, nr_out, out);
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
	static const struct {
		unsigned first, nr_out, size;
	} turns[] = {
		{10, 1, 0}, {10, 1, 9}, {10, 1, 10}, {10, 1, 11}, {10, 5, 400}, {300, 290, 300}};
	unsigned nr_failed;

	cache = kmem_cache_create("aside", 1000, 0, 0, NULL);
	for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		unsigned first = turns[i].first, nr_out = turns[i].nr_out, size = turns[i].size;

		nr_failed = 0;
		while (nr_failed < 200 && !refill(first, nr_out, size, nr_failed))
			nr_failed++;
		CHECK(nr_failed < 200, "from %u to %u fails whatever is granted", first, size);
		CHECK(size < 200 || nr_failed > 5, "from %u to %u fails %u times", first, size,
			nr_failed);
	}
	destroy_empty(cache);
}
