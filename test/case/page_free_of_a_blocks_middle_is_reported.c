/* Pages that are in a block, but start none: of a block in use, and of a free one. */
#include "mm/memmap.h"
#include "mm/page_alloc.h"
#include "test/contract.h"

CONTRACT("a free of a page inside a block is reported and changes nothing",
	"buddy_give leaves pg_order on the head of the upper half that it merges")
{
	struct page *page = alloc_pages(GFP_KERNEL, 4);

	CHECK(page, "no block of order 4");
	if (!page)
		return;
	for (unsigned in_use = 2; in_use-- > 0;) {
		uint64_t before = numa_free_pages(NUMA_NO_NODE);

		for (unsigned i = 1; i < 16; i++) {
			for (unsigned order = 0; order < 4; order++) {
				test_log_clear();
				__free_pages(page + i, order);
				CHECK(test_log_has("wrong free"), "no report for page %u, order %u",
					i, order);
			}
		}
		CHECK(numa_free_pages(NUMA_NO_NODE) == before, "%lu pages are free, not %lu",
			numa_free_pages(NUMA_NO_NODE), before);
		if (in_use)
			__free_pages(page, 4);
		page_alloc_drain();
	}
}
