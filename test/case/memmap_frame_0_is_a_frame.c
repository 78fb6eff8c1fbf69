/* Physical address 0, where it is usable memory. */
#include "mm/memmap.h"
#include "mm/page_alloc.h"
#include "test/contract.h"
#include "test/hoard.h"

CONTRACT("frame 0 is given out and taken back like any other",
	"page_pfn() of 0 is taken for no page")
{
	struct hoard hoard = {0};
	struct page *page = pfn_to_page(0);
	bool found = false;

	page_alloc_drain();
	/* It heads every block that it is in. A boot may have put it to use for good. */
	if (!page || page_kind(port_load(&page->pg_word)) != PAGE_BUDDY || !hoard_is_cheap()) {
		contract_skip("frame 0 is not usable, or in use since boot");
		return;
	}
	hoard_fill(&hoard, NUMA_NO_NODE, GFP_ATOMIC | GFP_DMA32);
	for (struct hoarded *block = hoard.first; block; block = block->next)
		found |= port_virt_to_phys(block) == 0;
	CHECK(found, "nobody got frame 0");
	CHECK(virt_to_page(port_phys_to_virt(0)) == page,
		"frame 0 has another page by its address");
	hoard_release(&hoard);
}
