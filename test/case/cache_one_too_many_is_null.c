#include "test/slab_tools.h"

#define NR_CACHES 2000

static unsigned fill_up(struct kmem_cache **caches)
{
	unsigned nr = 0;

	while (nr < NR_CACHES && (caches[nr] = kmem_cache_create("many", 64, 0, 0, NULL)))
		nr++;
	return nr;
}

CONTRACT("one cache more than fits is NULL, and all others stay usable",
	"add_cpus takes offset 0 for a place, or take_apart forgets what a half-made cache has")
{
	static struct kmem_cache *caches[NR_CACHES];
	unsigned nr = fill_up(caches), again;

	CHECK(nr > 50 && nr < NR_CACHES, "%u caches", nr);
	CHECK(test_log_has("out of memory"), "nothing was said");
	for (unsigned i = 0; i < nr; i++) {
		uint64_t *object = kmem_cache_alloc(caches[i], GFP_KERNEL);

		if (object)
			*object = i;
		CHECK(object, "cache %u of %u is not usable", i, nr);
		kmem_cache_free(caches[i], object);
	}
	for (unsigned i = 0; i < nr; i++)
		CHECK(kmem_cache_destroy(caches[i]), "cache %u was not destroyed", i);
	again = fill_up(caches);
	CHECK(again == nr, "%u caches at first, %u at the second time", nr, again);
	for (unsigned i = 0; i < again; i++)
		kmem_cache_destroy(caches[i]);
}
