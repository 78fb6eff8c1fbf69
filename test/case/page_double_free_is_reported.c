/* The second free of a block, while it is in the page cache and when it is back in its zone. */
#include "mm/page_alloc.h"
#include "test/contract.h"

CONTRACT("a second free of a block is reported and changes nothing",
	"__free_pages stores PAGE_PCP instead of exchanging it for PAGE_USED")
{
	for (unsigned order = 0; order <= 5; order++) {
		struct page *page = alloc_pages(GFP_KERNEL, order);

		CHECK(page, "no block of order %u", order);
		if (!page)
			continue;
		__free_pages(page, order);
		for (unsigned drained = 0; drained < 2; drained++) {
			uint64_t before = numa_free_pages(NUMA_NO_NODE);

			test_log_clear();
			__free_pages(page, order);
			CHECK(test_log_has("wrong free"), "no report for order %u", order);
			CHECK(numa_free_pages(NUMA_NO_NODE) == before,
				"%lu pages are free, not %lu", numa_free_pages(NUMA_NO_NODE),
				before);
			page_alloc_drain();
		}
	}
}
