/* The limit of a page cache. */
#include <dolmen/numa.h>
#include "mm/page_alloc.h"
#include "mm/pcp.h"
#include "test/contract.h"
#include "test/hoard.h"

CONTRACT("a page cache keeps no more than its limit, and gives a batch back when it is full",
	"free_slow pushes past pc_limit")
{
	unsigned nid = cpu_to_mem(0);
	struct hoard hoard = {0};

	for (unsigned order = 0; order < PCP_ORDERS; order++) {
		const struct pcp *pcp = percpu_ptr(PCP_OFFSET, 0);
		const struct pcp_stack *stack = &port_load(&pcp->pc_top)[order];
		uint64_t limit =
			(uint64_t)(port_load(&stack->pc_limit) - port_load(&stack->pc_base));
		uint64_t batch = port_load(&stack->pc_batch);

		for (unsigned i = 0; i < 3 * PCP_MAX_0 && hoard.nr_pages < 4096; i++)
			if (!hoard_take(&hoard, (int)nid, GFP_KERNEL | __GFP_THISNODE, order))
				break;
		while (hoard.first) {
			struct hoarded *block = hoard.first;

			hoard.first = block->next;
			free_pages(block, order);
			CHECK(pcp_count(stack) <= limit, "%lu blocks of order %u, limit %lu",
				pcp_count(stack), order, limit);
		}
		hoard.nr_pages = 0;
		CHECK(pcp_count(stack) + batch >= limit, "%lu blocks of order %u, limit %lu",
			pcp_count(stack), order, limit);
		page_alloc_drain();
		CHECK(!pcp_pages(nid), "%lu pages are cached after a drain", pcp_pages(nid));
	}
}
