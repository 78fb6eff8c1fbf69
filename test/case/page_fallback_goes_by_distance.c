/* What serves a node whose own memory is used up. */
#include <dolmen/numa.h>
#include "mm/memmap.h"
#include "test/contract.h"
#include "test/hoard.h"

CONTRACT("a node without free memory is served by the nearest one that has some",
	"numa_fallback lists the nodes by number")
{
	struct hoard hoard = {0};

	if (!hoard_is_cheap()) {
		contract_skip("too much memory to use up");
		return;
	}
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		for (unsigned i = 0; numa_fallback(nid, i) != NUMA_NO_NODE; i++) {
			struct page *page =
				alloc_pages_node((int)nid, GFP_KERNEL | __GFP_NOWARN, 4);

			CHECK(page, "node %u, nothing from its neighbour %u", nid, i);
			if (!page)
				break;
			unsigned at = page_node(port_load(&page->pg_word));

			CHECK((int)at == numa_fallback(nid, i),
				"node %u is served by %u, not by %d", nid, at,
				numa_fallback(nid, i));
			__free_pages(page, 4);
			hoard_fill(&hoard, numa_fallback(nid, i), GFP_ATOMIC | __GFP_THISNODE);
		}
		hoard_release(&hoard);
	}
}
