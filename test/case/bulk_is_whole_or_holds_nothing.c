#include <dolmen/init.h>

#include "test/slab_tools.h"

#define NR  40
#define OUT 5

static void *objects[NR], *out[OUT];

static void construct(void *object)
{
	fill(object, 1000, 7);
}

CONTRACT("a request for many that memory ends under gives none, and what it had is free and as "
	 "constructed",
	"take_all forgets what it got, or each object is zeroed as it comes")
{
	struct kmem_cache *cache = kmem_cache_create("many", 1000, 0, 0, construct);
	unsigned nr_failed = 0, nr = 0;

	for (bool whole = false; !whole && nr < NR; nr++) {
		for (unsigned i = 0; i < OUT; i++)
			out[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		dolmen_fail_pages(nr, UINT64_MAX);
		whole = kmem_cache_alloc_bulk(
			cache, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN, NR, objects);
		dolmen_fail_pages(0, 0);
		nr_failed += !whole;
		CHECK(objects_in_use(cache) == OUT + (whole ? NR : 0),
			"%lu in use with %u page requests granted", objects_in_use(cache), nr);
		for (unsigned i = 0; whole && i < NR; i++) {
			CHECK(all_zero(objects[i], 1000), "object %u is not zero", i);
			construct(objects[i]);
		}
		if (whole)
			kmem_cache_free_bulk(cache, NR, objects);
		kmem_cache_free_bulk(cache, OUT, out);
		/* What is there without another page. */
		dolmen_fail_pages(0, UINT64_MAX);
		unsigned nr_free = 0;
		while (nr_free < NR &&
			(objects[nr_free] = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN)))
			nr_free++;
		dolmen_fail_pages(0, 0);
		for (unsigned i = 0; i < nr_free; i++)
			CHECK(filled(objects[i], 1000, 7), "object %u is not as constructed", i);
		kmem_cache_free_bulk(cache, nr_free, objects);
		kmem_cache_shrink(cache);
		CHECK(!nr_slabs(cache), "%lu slabs are left", nr_slabs(cache));
	}
	CHECK(nr_failed >= 3 && nr < NR, "%u of %u requests failed", nr_failed, nr);
	destroy_empty(cache);
}
