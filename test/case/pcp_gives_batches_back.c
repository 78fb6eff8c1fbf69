/* The limit of a page cache. */
#include <dolmen/numa.h>
#include "mm/page_alloc.h"
#include "mm/pcp.h"
#include "test/contract.h"
#include "test/hoard.h"

/* An empty one is filled to the half, but for the block that was asked for. */
static void check_fill(const struct port_stack *stack, unsigned nid, unsigned order)
{
	unsigned batch = (port_load(&stack->ps_max) + 1) / 2;
	struct page *page = alloc_pages_node((int)nid, GFP_KERNEL | __GFP_NOWARN, order);

	if (!page)
		return;
	if (batch)
		CHECK(port_load(&stack->ps_count) == batch - 1,
			"%u blocks of order %u after a refill, not %u", stack->ps_count, order,
			batch - 1);
	__free_pages(page, order);
}

static void check_order(unsigned nid, unsigned order)
{
	const struct port_slot *slot = percpu_ptr(pcp_slot(order), port_cpu());
	const struct port_stack *stack = port_load(&slot->sl_stack);
	struct zone *zone = word_zone((uint64_t)port_load(&slot->sl_home) << PAGE_NODE_SHIFT);
	unsigned limit = port_load(&stack->ps_max);
	struct hoard hoard = {0};

	CHECK(limit || order || port_load(&zone->zn_managed) < 256 * test_nr_cpus(),
		"no page is kept of a zone of %lu", port_load(&zone->zn_managed));
	page_alloc_drain();
	check_fill(stack, nid, order);
	for (unsigned i = 0; i < 3 * PCP_MAX_0 && hoard.nr_pages < 4096; i++)
		if (!hoard_take(&hoard, (int)nid, GFP_KERNEL | __GFP_THISNODE, order))
			break;
	while (hoard.first) {
		struct hoarded *block = hoard.first;

		hoard.first = block->next;
		free_pages(block, order);
		CHECK(port_load(&stack->ps_count) <= limit, "%u blocks of order %u, limit %u",
			stack->ps_count, order, limit);
	}
	CHECK(port_load(&stack->ps_count) >= limit / 2, "%u blocks of order %u, limit %u",
		stack->ps_count, order, limit);
	page_alloc_drain();
	CHECK(!pcp_pages(nid), "%lu pages are cached after a drain", pcp_pages(nid));
}

static void check_cpu(void *arg)
{
	(void)arg;
	for (unsigned order = 0; order < PCP_ORDERS; order++)
		check_order(cpu_to_mem(port_cpu()), order);
}

CONTRACT("a page cache is filled to the half, keeps no more than its limit, and gives a batch back "
	 "when it is full",
	"pcp_give pushes onto a full stack")
{
	for (unsigned cpu = 0; cpu < test_nr_cpus(); cpu++)
		test_run_on(cpu, check_cpu, NULL);
}
