/*
 * Page caches when all is quiet: each stack is in its slot, and holds free blocks of its zone and
 * order. That each page is in one place alone is for watch.c to see.
 */
#include "test/model/world.h"

bool watch_of_page_cache(const void *at)
{
	for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++) {
		const char *pcp = (const char *)world_page_cache(cpu);

		if ((const char *)at >= pcp && (const char *)at < pcp + sizeof(struct pcp))
			return true;
	}
	return false;
}

static void check_slot(const struct port_slot *slot, unsigned cpu, unsigned order)
{
	const struct port_stack *stack = slot->sl_stack;
	uint64_t word = (uint64_t)slot->sl_home << PAGE_NODE_SHIFT | PAGE_PCP;

	if (!watch_of_page_cache(stack))
		model_fail("a page cache of CPU %u stays closed", cpu);
	if (stack->ps_count > stack->ps_max)
		model_fail("a page cache of CPU %u has %u blocks of %u", cpu, stack->ps_count,
			stack->ps_max);
	for (unsigned i = 0; i < stack->ps_count; i++) {
		const struct page *page = stack->ps_item[i];

		if (page->pg_word != word || page->pg_order != order)
			model_fail("%s is in a page cache of order %u", page_name(page), order);
	}
}

const struct page *watch_cached_block(unsigned cpu, unsigned nid, unsigned n, unsigned *order)
{
	const struct port_slot *slots = &world_page_cache(cpu)->pc_slots[0][0];

	for (unsigned i = 0; world_cpu_node(cpu) == nid && i < NR_ZONES * PCP_ORDERS; i++) {
		*order = i % PCP_ORDERS;
		check_slot(&slots[i], cpu, *order);
		if (n < slots[i].sl_stack->ps_count)
			return slots[i].sl_stack->ps_item[n];
		n -= slots[i].sl_stack->ps_count;
	}
	return NULL;
}
