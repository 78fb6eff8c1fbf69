/* The limit of a page cache. */
#include <dolmen/numa.h>
#include "mm/page_alloc.h"
#include "mm/pcp.h"
#include "test/contract.h"
#include "test/hoard.h"

CONTRACT("a page cache keeps no more than its limit, and gives a batch back when it is full",
	"pcp_give pushes onto a full stack")
{
	unsigned nid = cpu_to_mem(0);
	struct hoard hoard = {0};

	for (unsigned order = 0; order < PCP_ORDERS; order++) {
		const struct port_slot *slot = percpu_ptr(pcp_slot(order), 0);
		const struct port_stack *stack = port_load(&slot->sl_stack);
		unsigned limit = port_load(&stack->ps_max);

		for (unsigned i = 0; i < 3 * PCP_MAX_0 && hoard.nr_pages < 4096; i++)
			if (!hoard_take(&hoard, (int)nid, GFP_KERNEL | __GFP_THISNODE, order))
				break;
		while (hoard.first) {
			struct hoarded *block = hoard.first;

			hoard.first = block->next;
			free_pages(block, order);
			CHECK(port_load(&stack->ps_count) <= limit,
				"%u blocks of order %u, limit %u", stack->ps_count, order, limit);
		}
		hoard.nr_pages = 0;
		CHECK(port_load(&stack->ps_count) >= limit / 2, "%u blocks of order %u, limit %u",
			stack->ps_count, order, limit);
		page_alloc_drain();
		CHECK(!pcp_pages(nid), "%lu pages are cached after a drain", pcp_pages(nid));
	}
}
