/*
 * Per-CPU page caches: sizes, refill, drain.
 *
 * A CPU's cache holds blocks of its own memory node only, one stack for each zone and order, last
 * in first out. A block in it is PAGE_PCP, keeps its pg_order, and counts as free though not as in
 * its zone. An empty stack is refilled and a full one emptied by batches, so the zone's lock is
 * taken once for many calls. What goes back is the bottom of the stack: those have been out of the
 * CPU's cache the longest.
 *
 * pc_lock is the owner's, taken with interrupts off; another CPU takes it only to drain when memory
 * has run out or a count has to be exact, so it is as good as never contended. Order: pc_lock ->
 * zn_lock.
 */
#include "mm/pcp.h"

#include "mm/log.h"
#include "mm/numa.h"

static const unsigned max_blocks[PCP_ORDERS] = {PCP_MAX_0, PCP_MAX_1, PCP_MAX_2, PCP_MAX_3};

/*
 * All stacks of a zone together may hold 1/64 of it, so each CPU's may hold 1/64 over the node's
 * CPUs, and each order a quarter of that. 64 MiB and 4 CPUs: 64 pages a CPU, so 16 of order 0, 8 of
 * order 1, 4 of order 2, 2 of order 3.
 */
static uint64_t stack_limit(uint64_t zone_pages, unsigned nr_cpus, unsigned order)
{
	uint64_t limit = zone_pages / 64 / nr_cpus / PCP_ORDERS >> order;

	return limit < max_blocks[order] ? limit : max_blocks[order];
}

static void init_stacks(
	struct pcp_stack *stacks, struct page **slots, uint64_t zone_pages, unsigned nr_cpus)
{
	for (unsigned order = 0; order < PCP_ORDERS; order++) {
		struct pcp_stack *stack = &stacks[order];
		uint64_t limit = stack_limit(zone_pages, nr_cpus, order);

		slots++; /* the one that stays NULL */
		port_store(&stack->pc_base, slots);
		port_store(&stack->pc_next, slots);
		port_store(&stack->pc_limit, slots + limit);
		port_store(&stack->pc_batch, (limit + 3) / 4);
		slots += max_blocks[order];
	}
}

static unsigned nr_cpus_of(unsigned nid)
{
	unsigned nr = 0;

	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++)
		nr += cpu_to_mem(cpu) == nid;
	return nr;
}

static void init_pcp(struct pcp *pcp, unsigned nid)
{
	unsigned nr_cpus = nr_cpus_of(nid);

	port_store(&pcp->pc_node, (uint16_t)(nid << PAGE_NODE_SHIFT));
	for (unsigned id = 0; id < NR_ZONES; id++) {
		const struct zone *zone = &node_zones[nid][id];

		init_stacks(&pcp->pc_stacks[id][0], &pcp->pc_slots[id][0],
			port_load(&zone->zn_managed), nr_cpus);
		if (id && !port_load(&zone->zn_managed))
			continue;
		port_store(&pcp->pc_top, &pcp->pc_stacks[id][0]);
		port_store(&pcp->pc_used_word, port_load(&zone->zn_home) | PAGE_USED);
		port_store(&pcp->pc_free_word, port_load(&zone->zn_home) | PAGE_PCP);
	}
}

bool pcp_init(void)
{
	uint32_t offset = percpu_alloc(sizeof(struct pcp), DOLMEN_CACHE_LINE);

	if (offset != PCP_OFFSET) {
		mm_log("pcp: per-CPU offset %u, not %u", offset, (unsigned)PCP_OFFSET);
		return false;
	}
	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++)
		init_pcp(percpu_ptr(PCP_OFFSET, cpu), cpu_to_mem(cpu));
	return true;
}

bool pcp_refill(struct pcp_stack *stack, struct zone *zone, unsigned order, uint64_t reserve)
{
	uint64_t count = 0, batch = port_load(&stack->pc_batch);
	struct page **next = port_load(&stack->pc_next);

	spin_lock(&zone->zn_lock);
	while (count < batch && port_load(&zone->zn_free) >= reserve + (1ul << order)) {
		struct page *page = buddy_take(zone, order);

		if (!page)
			break;
		pcp_push(stack, next + count++, page);
	}
	spin_unlock(&zone->zn_lock);
	return count;
}

void pcp_drain_stack(struct pcp_stack *stack, struct zone *zone, unsigned order, uint64_t nr_blocks)
{
	struct page **base = port_load(&stack->pc_base);
	uint64_t count = pcp_count(stack);

	if (nr_blocks > count)
		nr_blocks = count;
	spin_lock(&zone->zn_lock);
	for (uint64_t i = 0; i < nr_blocks; i++)
		buddy_give(zone, port_load(&base[i]), order);
	spin_unlock(&zone->zn_lock);
	for (uint64_t i = nr_blocks; i < count; i++)
		port_store(&base[i - nr_blocks], port_load(&base[i]));
	port_store(&stack->pc_next, base + count - nr_blocks);
}

static bool drain_cpu(unsigned cpu)
{
	struct pcp *pcp = percpu_ptr(PCP_OFFSET, cpu);
	struct zone *zones = node_zones[cpu_to_mem(cpu)];
	unsigned long flags = spin_lock_irqsave(&pcp->pc_lock);
	bool any = false;

	for (unsigned zone = 0; zone < NR_ZONES; zone++) {
		for (unsigned order = 0; order < PCP_ORDERS; order++) {
			struct pcp_stack *stack = &pcp->pc_stacks[zone][order];

			if (!pcp_count(stack))
				continue;
			any = true;
			pcp_drain_stack(stack, &zones[zone], order, UINT64_MAX);
		}
	}
	spin_unlock_irqrestore(&pcp->pc_lock, flags);
	return any;
}

bool pcp_drain_all(void)
{
	bool any = false;

	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++)
		any |= drain_cpu(cpu);
	return any;
}

uint64_t pcp_pages(unsigned nid)
{
	uint64_t nr_pages = 0;

	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++) {
		const struct pcp *pcp = percpu_ptr(PCP_OFFSET, cpu);

		if (cpu_to_mem(cpu) != nid)
			continue;
		for (unsigned zone = 0; zone < NR_ZONES; zone++)
			for (unsigned order = 0; order < PCP_ORDERS; order++)
				nr_pages += pcp_count(&pcp->pc_stacks[zone][order]) << order;
	}
	return nr_pages;
}
