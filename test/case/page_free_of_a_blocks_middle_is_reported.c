/* Pages that are in a block, but start none: of a block in use, and of a free one. */
#include "mm/memmap.h"
#include "mm/page_alloc.h"
#include "test/contract.h"
#include "test/hoard.h"

/* Every page that comes next has been a block of its own once. */
static void use_single_pages(void)
{
	struct hoard hoard = {0};

	for (unsigned i = 0; i < 1024; i++)
		hoard_take(&hoard, NUMA_NO_NODE, GFP_KERNEL, 0);
	hoard_release(&hoard);
	page_alloc_drain();
}

static void check_block(struct page *page)
{
	for (unsigned i = 1; i < 16; i++) {
		for (unsigned order = 0; order < 4; order++) {
			test_log_clear();
			__free_pages(page + i, order);
			CHECK(test_log_has("wrong free"), "no report for page %u, order %u", i,
				order);
		}
	}
}

CONTRACT("a free of a page inside a block is reported and changes nothing",
	"buddy_give leaves pg_order on the head of the upper half that it merges")
{
	for (unsigned round = 0; round < 16; round++) {
		use_single_pages();
		struct page *page = alloc_pages(GFP_KERNEL, 4);
		uint64_t before = numa_free_pages(NUMA_NO_NODE);

		CHECK(page, "no block of order 4");
		if (!page)
			return;
		check_block(page);
		CHECK(numa_free_pages(NUMA_NO_NODE) == before, "%lu pages are free, not %lu",
			numa_free_pages(NUMA_NO_NODE), before);
		__free_pages(page, 4);
		check_block(page);
		CHECK(numa_free_pages(NUMA_NO_NODE) == before + 16, "%lu pages are free, not %lu",
			numa_free_pages(NUMA_NO_NODE), before + 16);
	}
}
