/* __GFP_THISNODE. */
#include <dolmen/numa.h>
#include "mm/memmap.h"
#include "mm/page_alloc.h"
#include "test/contract.h"
#include "test/hoard.h"

CONTRACT("a request for this node alone is served by it or not at all",
	"try_zones ignores __GFP_THISNODE for the first neighbour")
{
	struct hoard hoard = {0};

	if (!hoard_is_cheap()) {
		contract_skip("too much memory to use up");
		return;
	}
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		uint64_t others = numa_free_pages(NUMA_NO_NODE) - numa_free_pages((int)nid);

		hoard_fill(&hoard, (int)nid, GFP_ATOMIC | __GFP_THISNODE);
		CHECK(!numa_free_pages((int)nid), "%lu pages of node %u are left",
			numa_free_pages((int)nid), nid);
		CHECK(numa_free_pages(NUMA_NO_NODE) == others,
			"other nodes have %lu pages, not %lu", numa_free_pages(NUMA_NO_NODE),
			others);
		for (struct hoarded *block = hoard.first; block; block = block->next)
			CHECK(page_node(port_load(&virt_to_page(block)->pg_word)) == nid,
				"%p is not of node %u", (void *)block, nid);
		hoard_release(&hoard);
	}
}
