/* The order given to __free_pages() against the block's. */
#include "mm/page_alloc.h"
#include "test/contract.h"

CONTRACT("a free with another order than the block has is reported and changes nothing",
	"__free_pages trusts the order it is given")
{
	struct page *page = alloc_pages(GFP_KERNEL, 3);
	uint64_t before = numa_free_pages(NUMA_NO_NODE);

	CHECK(page, "no block of order 3");
	if (!page)
		return;
	for (unsigned order = 0; order <= DOLMEN_MAX_ORDER + 1; order++) {
		if (order == 3)
			continue;
		test_log_clear();
		__free_pages(page, order);
		CHECK(test_log_has("has order 3"), "no report for order %u", order);
	}
	CHECK(numa_free_pages(NUMA_NO_NODE) == before, "%lu pages are free, not %lu",
		numa_free_pages(NUMA_NO_NODE), before);
	__free_pages(page, 3);
}
