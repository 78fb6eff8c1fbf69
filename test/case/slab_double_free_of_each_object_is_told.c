/* Where a bitmap is walked with the wrong width, some object of a slab with more than 32, or 64,
 * loses its bit. */
#include "mm/check.h"
#include "test/slab_tools.h"

static const size_t sizes[] = {8, 16, 24, 32, 48, 56, 64, 72, 128, 512, 4096};

EXACT_CONTRACT(
	"a double free is told for each object of a slab, in the pair's free set and in one at the "
	"slab's end",
	"partial_free_wide ands the index with 31, or slab_free shifts 32 bits")
{
	static void *objects[512];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct kmem_cache *cache = kmem_cache_create("twice", sizes[i], 0, 0, NULL);
		unsigned nr = cache->kc_best.objects, wrong = 0;

		for (unsigned n = 0; n < nr; n++)
			objects[n] = kmem_cache_alloc(cache, GFP_KERNEL);
		for (unsigned n = 0; n < nr; n++) {
			uint64_t reports = check_reports();

			kmem_cache_free(cache, objects[n]);
			wrong += check_reports() != reports;
			kmem_cache_free(cache, objects[n]);
			wrong += check_reports() != reports + 1;
			objects[n] = kmem_cache_alloc(cache, GFP_KERNEL);
		}
		CHECK(!wrong, "%zu bytes, %u objects a slab: %u reports too many or too few",
			sizes[i], nr, wrong);
		free_some(cache, objects, nr);
		destroy_empty(cache);
	}
}
