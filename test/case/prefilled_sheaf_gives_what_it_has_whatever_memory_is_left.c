#include <dolmen/init.h>

#include "test/slab_tools.h"

#define MOST 1500

static void *objects[MOST];

/* A constructor's mark, or zeroes where they were asked for. */
static void construct(void *object)
{
	fill(object, 48, 3);
}

CONTRACT("a prefilled sheaf gives all it has with no page left and its CPU's lock held, then NULL",
	"kmem_cache_alloc_from_sheaf goes to its CPU's sheaves, or fill counts one short")
{
	static const unsigned sizes[] = {0, 1, 5, 64, 300, MOST};

	for (unsigned flags = 0; flags <= SLAB_CONSISTENCY_CHECKS;
		flags += SLAB_CONSISTENCY_CHECKS) {
		struct kmem_cache *cache = kmem_cache_create("aside", 48, 0, flags, construct);

		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			unsigned nr = 0;
			struct slab_sheaf *sheaf =
				kmem_cache_prefill_sheaf(cache, GFP_KERNEL, sizes[i]);

			CHECK(sheaf && kmem_cache_sheaf_size(sheaf) == sizes[i], "no sheaf of %u",
				sizes[i]);
			dolmen_fail_pages(0, UINT64_MAX);
			unsigned long irq = spin_lock_irqsave(&cache_this_cpu(cache)->cc_lock);
			while (nr < MOST && (objects[nr] = kmem_cache_alloc_from_sheaf(
						     cache, nr % 2 ? __GFP_ZERO : 0, sheaf)))
				nr++;
			spin_unlock_irqrestore(&cache_this_cpu(cache)->cc_lock, irq);
			dolmen_fail_pages(0, 0);
			CHECK(nr == sizes[i] && !kmem_cache_sheaf_size(sheaf),
				"%u objects of %u, %u are left", nr, sizes[i],
				kmem_cache_sheaf_size(sheaf));
			for (unsigned k = 0; k < nr; k++)
				CHECK(k % 2 ? all_zero(objects[k], 48) : filled(objects[k], 48, 3),
					"object %u is neither as constructed nor zero", k);
			for (unsigned k = 0; k < nr; k++)
				fill(objects[k], 48, k);
			for (unsigned k = 0; k < nr; k++) {
				CHECK(filled(objects[k], 48, k), "object %u shares memory", k);
				construct(objects[k]);
			}
			kmem_cache_free_bulk(cache, nr, objects);
			kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
			CHECK(!objects_in_use(cache), "%lu in use", objects_in_use(cache));
		}
		destroy_empty(cache);
	}
}
