/* numa_free_pages() against what was taken, through caches, splits and merges. */
#include "mm/memmap.h"
#include "mm/page_alloc.h"
#include "test/contract.h"

CONTRACT("the free-page count of a node falls by exactly what is taken from it, and comes back",
	"pcp_pages counts blocks instead of pages")
{
	struct page *pages[DOLMEN_MAX_ORDER + 1];
	uint64_t before = numa_free_pages(NUMA_NO_NODE), taken = 0;

	for (unsigned order = 0; order <= DOLMEN_MAX_ORDER; order++) {
		pages[order] = alloc_pages(GFP_KERNEL | __GFP_NOWARN, order);
		if (!pages[order])
			continue;
		unsigned nid = page_node(port_load(&pages[order]->pg_word));
		uint64_t of_node = numa_free_pages((int)nid);

		taken += 1ul << order;
		CHECK(numa_free_pages(NUMA_NO_NODE) == before - taken,
			"%lu pages are free, not %lu", numa_free_pages(NUMA_NO_NODE),
			before - taken);
		__free_pages(pages[order], order);
		CHECK(numa_free_pages((int)nid) == of_node + (1ul << order),
			"node %u has %lu free pages, not %lu", nid, numa_free_pages((int)nid),
			of_node + (1ul << order));
		pages[order] = alloc_pages(GFP_KERNEL | __GFP_NOWARN, order);
		if (!pages[order])
			taken -= 1ul << order;
	}
	page_alloc_drain();
	CHECK(numa_free_pages(NUMA_NO_NODE) == before - taken, "%lu pages are free, not %lu",
		numa_free_pages(NUMA_NO_NODE), before - taken);
	for (unsigned order = 0; order <= DOLMEN_MAX_ORDER; order++)
		if (pages[order])
			__free_pages(pages[order], order);
	CHECK(numa_free_pages(NUMA_NO_NODE) == before, "%lu pages are free at the end, not %lu",
		numa_free_pages(NUMA_NO_NODE), before);
}
