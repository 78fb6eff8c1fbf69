#include "test/slab_tools.h"

#define MOST 300

static void *objects[2][MOST];

CONTRACT("a request for many gives so many objects, each once, and a free of many takes all back",
	"pop_run leaves the last object that it takes in its sheaf")
{
	static const size_t sizes[] = {8, 64, 200, 512, 4096};
	static const unsigned numbers[] = {0, 1, 2, 7, 64, 65, 129, MOST};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct kmem_cache *cache = kmem_cache_create("many", sizes[i], 0, 0, NULL);

		for (unsigned n = 0; n < 64; n++) {
			unsigned nr[2] = {numbers[n / 8], numbers[n % 8]};

			for (unsigned k = 0; k < 2; k++) {
				CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL, nr[k], objects[k]),
					"no %u objects", nr[k]);
				for (unsigned j = 0; j < nr[k]; j++)
					fill(objects[k][j], sizes[i], k * MOST + j);
			}
			CHECK(objects_in_use(cache) >= nr[0] + nr[1], "%lu in use, not %u",
				objects_in_use(cache), nr[0] + nr[1]);
			for (unsigned k = 0; k < 2; k++) {
				for (unsigned j = 0; j < nr[k]; j++)
					CHECK(filled(objects[k][j], sizes[i], k * MOST + j),
						"object %u of %u shares memory", j, nr[k]);
				kmem_cache_free_bulk(cache, nr[k], objects[k]);
			}
			CHECK(!objects_in_use(cache), "%lu of %u and %u are lost",
				objects_in_use(cache), nr[0], nr[1]);
		}
		destroy_empty(cache);
	}
}
