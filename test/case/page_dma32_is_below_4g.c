/* GFP_DMA32. */
#include "mm/memmap.h"
#include "mm/page_alloc.h"
#include "test/contract.h"
#include "test/hoard.h"

static void check_own_cpu(void *arg)
{
	(void)arg;
	for (unsigned order = 0; order < 4; order++) {
		/* Leaves a block of any zone on top of this CPU's page cache. */
		struct page *page = alloc_pages(GFP_KERNEL, order);

		if (page)
			__free_pages(page, order);
		page = alloc_pages(GFP_DMA32 | __GFP_NOWARN, order);
		CHECK(!page || page_pfn(page) < ZONE_NORMAL_PFN, "order %u: pfn 0x%lx", order,
			page_pfn(page));
		if (page)
			__free_pages(page, order);
	}
}

CONTRACT("GFP_DMA32 gives memory below 4 GiB or NULL, whatever is free above",
	"the fast path takes GFP_DMA32 from the top zone's stack")
{
	struct hoard hoard = {0};
	struct page *page;

	if (!hoard_is_cheap()) {
		contract_skip("too much memory to use up");
		return;
	}
	for (unsigned cpu = 0; cpu < test_nr_cpus(); cpu++)
		test_run_on(cpu, check_own_cpu, NULL);
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
