#include "test/slab_tools.h"

EXACT_CONTRACT("no two lives of a slab's page, and no two takes in one life, share a generation",
	"next_generation keeps the generation, or a take does not raise it")
{
	struct kmem_cache *cache = kmem_cache_create("generation", 4096, 0, 0, NULL);
	struct page *page = NULL;
	uint64_t last = 0;
	unsigned same_page = 0;

	for (unsigned life = 0; life < 20; life++) {
		for (unsigned take = 0; take < 3; take++) {
			void *object = kmem_cache_alloc(cache, GFP_KERNEL);
			uint64_t generation = slab_pair(slab_of(object)).hi >> 32;

			if (slab_of(object) == page) {
				same_page++;
				CHECK(generation > last,
					"life %u, take %u: generation %lu after %lu", life, take,
					generation, last);
			}
			page = slab_of(object);
			last = generation;
			kmem_cache_free(cache, object);
		}
		kmem_cache_shrink(cache);
		CHECK(slab_pair(page).hi >> 32 > last, "the end of a life raises nothing");
	}
	CHECK(same_page > 40, "the page came back %u times only", same_page);
	destroy_empty(cache);
}
