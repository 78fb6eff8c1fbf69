/* GFP_DMA32. */
#include "mm/memmap.h"
#include "mm/page_alloc.h"
#include "test/contract.h"
#include "test/hoard.h"

CONTRACT("GFP_DMA32 gives memory below 4 GiB or NULL, whatever is free above",
	"the fast path takes GFP_DMA32 from the top zone's stack")
{
	struct hoard hoard = {0};
	struct page *page;

	if (!hoard_is_cheap()) {
		contract_skip("too much memory to use up");
		return;
	}
	for (unsigned order = 0; order < 4; order++) {
		page = alloc_pages(GFP_DMA32 | __GFP_NOWARN, order);
		if (page)
			__free_pages(page, order);
	}
	hoard_fill(&hoard, NUMA_NO_NODE, GFP_ATOMIC | GFP_DMA32);
	for (struct hoarded *block = hoard.first; block; block = block->next)
		CHECK(page_pfn(virt_to_page(block)) < ZONE_NORMAL_PFN,
			"pfn 0x%lx is not below 4 GiB", page_pfn(virt_to_page(block)));
	CHECK(!alloc_pages(GFP_ATOMIC | GFP_DMA32 | __GFP_NOWARN, 0), "a page where none is left");
	if (numa_free_pages(NUMA_NO_NODE)) {
		page = alloc_pages(GFP_ATOMIC, 0);
		CHECK(page && page_pfn(page) >= ZONE_NORMAL_PFN, "no page from above 4 GiB");
		if (page)
			__free_pages(page, 0);
	}
	hoard_release(&hoard);
}
