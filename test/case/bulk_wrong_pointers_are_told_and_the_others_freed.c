#include "mm/check.h"
#include "test/slab_tools.h"

#define NR 80

static void *objects[NR];
static uint64_t somewhere[2];

/* An array of objects with what is none at its start, in its middle and at its end. */
static void free_with(struct kmem_cache *cache, struct kmem_cache *given, void *wrong, bool told)
{
	static const unsigned places[] = {0, 1, NR / 2, NR - 1};

	for (unsigned i = 0; i < 4; i++) {
		uint64_t reports = check_reports();

		CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL, NR, objects), "no objects");
		void *left_out = objects[places[i]];
		objects[places[i]] = wrong;
		kmem_cache_free_bulk(given, NR, objects);
		CHECK(check_reports() == reports + told, "place %u: %lu reports of %p", places[i],
			check_reports() - reports, wrong);
		CHECK(objects_in_use(cache) == 1, "place %u: %lu in use after %p", places[i],
			objects_in_use(cache), wrong);
		kmem_cache_free(cache, left_out);
	}
}

CONTRACT("of an array with a wrong pointer that one is told, and all others are freed",
	"free_slow gives up behind a wrong pointer, or push_run takes NULL for an object of page 0")
{
	static const size_t sizes[] = {16, 64, 512};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct kmem_cache *cache = kmem_cache_create("many", sizes[i], 0, 0, NULL),
				  *other = kmem_cache_create("other", sizes[i], 0, 0, NULL);
		void *of_other = kmem_cache_alloc(other, GFP_KERNEL);

		free_with(cache, cache, NULL, false);
		free_with(cache, NULL, NULL, false);
		free_with(cache, NULL, ZERO_SIZE_PTR, false);
		free_with(cache, cache, ZERO_SIZE_PTR, true);
		free_with(cache, cache, somewhere, true);
		free_with(cache, NULL, somewhere, true);
		free_with(cache, NULL, (void *)~0ul, true);
		free_with(cache, cache, (void *)0x8000000000000000ul, true);
		free_with(cache, cache, of_other, true);
		CHECK(objects_in_use(other) == 1, "an object of another cache was freed");
		kmem_cache_free(other, of_other);
		destroy_empty(other);
		destroy_empty(cache);
	}
}
