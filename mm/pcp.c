/*
 * Per-CPU page caches: sizes, refill, drain.
 *
 * A CPU's cache holds blocks of its own memory node only, last in first out. A block in it is
 * PAGE_PCP, keeps its pg_order, and counts as free though not as in its zone. An empty stack is
 * filled, and a full one emptied, to the half, so the zone's lock is taken once for many calls.
 * What goes back is the bottom of the stack: those have been out of the CPU's cache the longest.
 *
 * There is no lock, but that of the area where the port has no fence. A stack is its CPU's, in a
 * window or with interrupts off. Who drains it, any CPU, swaps the closed stack into the slot, so
 * that of two one has it; after a fence nothing on that CPU still uses it. It is emptied and put
 * back. Meanwhile blocks come from the zone and go there. Since a fence may have to wait, only code
 * with interrupts on drains other CPUs.
 *
 * Lock: zn_lock.
 */
#include "mm/pcp.h"

#include "mm/log.h"
#include "mm/numa.h"

#define NR_SLOTS (NR_ZONES * PCP_ORDERS)

static const unsigned max_blocks[PCP_ORDERS] = {PCP_MAX_0, PCP_MAX_1, PCP_MAX_2, PCP_MAX_3};

/*
 * All stacks of a zone together may hold 1/64 of it, so each CPU's may hold 1/64 over the node's
 * CPUs, and each order a quarter of that. 64 MiB and 4 CPUs: 64 pages a CPU, so 16 of order 0, 8 of
 * order 1, 4 of order 2, 2 of order 3.
 */
static uint32_t stack_limit(uint64_t zone_pages, unsigned nr_cpus, unsigned order)
{
	uint64_t limit = zone_pages / 64 / nr_cpus / PCP_ORDERS >> order;

	return (uint32_t)(limit < max_blocks[order] ? limit : max_blocks[order]);
}

static void init_slots(
	struct port_slot *slots, uint64_t *words, const struct zone *zone, unsigned nr_cpus)
{
	for (unsigned order = 0; order < PCP_ORDERS; order++) {
		struct port_stack *stack = (struct port_stack *)words;

		port_store(
			&stack->ps_max, stack_limit(port_load(&zone->zn_managed), nr_cpus, order));
		port_store(&slots[order].sl_stack, stack);
		port_store(&slots[order].sl_home, pcp_home(port_load(&zone->zn_home)));
		words += sizeof(*stack) / sizeof(*words) + max_blocks[order];
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
	unsigned top = NR_ZONES - 1;

	while (top && !port_load(&node_zones[nid][top].zn_managed))
		top--;
	for (unsigned i = 0; i < NR_ZONES; i++)
		init_slots(&pcp->pc_slots[i][0], &pcp->pc_stacks[i][0],
			&node_zones[nid][(top + i) % NR_ZONES], nr_cpus_of(nid));
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

/* This CPU's stack for blocks of a zone, or the closed one. Interrupts off. */
static struct port_stack *stack_of(struct port_area *area, const struct zone *zone, unsigned order)
{
	struct pcp *pcp = (struct pcp *)((char *)area + PCP_OFFSET);
	uint16_t home = pcp_home(port_load(&zone->zn_home));

	for (unsigned i = 0; order < PCP_ORDERS && i < NR_ZONES; i++)
		if (port_load(&pcp->pc_slots[i][order].sl_home) == home)
			return port_load(&pcp->pc_slots[i][order].sl_stack);
	return &closed_stack;
}

/* Blocks that go between a stack and its zone in one hold of the zone's lock. */
static uint32_t batch_of(const struct port_stack *stack)
{
	return (port_load(&stack->ps_max) + 1) / 2;
}

static struct page *take_from_zone(struct zone *zone, unsigned order, uint64_t reserve)
{
	return port_load(&zone->zn_free) >= reserve + (1ul << order) ? buddy_take(zone, order)
								     : NULL;
}

/* From the stack, or from the zone with more for the stack. */
static struct page *take(
	struct port_stack *stack, struct zone *zone, unsigned order, uint64_t reserve)
{
	uint32_t count = port_load(&stack->ps_count), batch = batch_of(stack);
	struct page *page, *more;

	if (count) {
		port_store(&stack->ps_count, count - 1);
		return port_load(&stack->ps_item[count - 1]);
	}
	spin_lock(&zone->zn_lock);
	page = take_from_zone(zone, order, reserve);
	while (count + 1 < batch && (more = take_from_zone(zone, order, reserve)))
		port_store(&stack->ps_item[count++], (void *)more);
	spin_unlock(&zone->zn_lock);
	if (count)
		port_store(&stack->ps_count, count);
	return page;
}

struct page *pcp_take(struct zone *zone, unsigned order, uint64_t reserve)
{
	struct port_area *area = port_this_area_lock();
	struct page *page = take(stack_of(area, zone, order), zone, order, reserve);

	port_area_unlock(area);
	return page;
}

/* The lowest `nr` blocks of a stack that nobody else uses. */
static void give_back(struct port_stack *stack, struct zone *zone, unsigned order, uint32_t nr)
{
	uint32_t count = port_load(&stack->ps_count);
	unsigned long flags = spin_lock_irqsave(&zone->zn_lock);

	for (uint32_t i = 0; i < nr; i++)
		buddy_give(zone, port_load(&stack->ps_item[i]), order);
	spin_unlock_irqrestore(&zone->zn_lock, flags);
	for (uint32_t i = nr; i < count; i++)
		port_store(&stack->ps_item[i - nr], port_load(&stack->ps_item[i]));
	port_store(&stack->ps_count, count - nr);
}

void pcp_give(struct page *page, unsigned order)
{
	struct zone *zone = word_zone(port_load(&page->pg_word));
	unsigned long flags = port_irq_save();

	struct port_area *area = port_this_area_lock();
	struct port_stack *stack = stack_of(area, zone, order);
	uint32_t max = port_load(&stack->ps_max);

	if (max) {
		if (port_load(&stack->ps_count) == max)
			give_back(stack, zone, order, batch_of(stack));
		uint32_t count = port_load(&stack->ps_count);

		port_store(&stack->ps_item[count], (void *)page);
		port_store(&stack->ps_count, count + 1);
	} else {
		spin_lock(&zone->zn_lock);
		buddy_give(zone, page, order);
		spin_unlock(&zone->zn_lock);
	}
	port_area_unlock(area);
	port_irq_restore(flags);
}

static bool drain_cpu(unsigned cpu)
{
	struct pcp *pcp = percpu_ptr(PCP_OFFSET, cpu);
	struct port_slot *slots = &pcp->pc_slots[0][0];
	struct port_stack *stacks[NR_SLOTS];
	bool any = false;

	if (cpu != port_cpu() && !port_irq_enabled())
		return false;
	for (unsigned i = 0; i < NR_SLOTS; i++) {
		stacks[i] = &closed_stack;
		if (port_load(&port_load(&slots[i].sl_stack)->ps_count))
			stacks[i] = port_swap(&slots[i].sl_stack, &closed_stack);
		any |= stacks[i] != &closed_stack;
	}
	if (!any)
		return false;
	port_window_fence(cpu);
	for (unsigned i = 0; i < NR_SLOTS; i++) {
		if (stacks[i] == &closed_stack)
			continue;
		uint64_t home = (uint64_t)port_load(&slots[i].sl_home) << PAGE_NODE_SHIFT;

		give_back(stacks[i], word_zone(home), i % PCP_ORDERS,
			port_load(&stacks[i]->ps_count));
		port_store_release(&slots[i].sl_stack, stacks[i]);
	}
	return true;
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
		struct pcp *pcp = percpu_ptr(PCP_OFFSET, cpu);
		struct port_slot *slots = &pcp->pc_slots[0][0];

		for (unsigned i = 0; cpu_to_mem(cpu) == nid && i < NR_SLOTS; i++)
			nr_pages += (uint64_t)port_load(&port_load(&slots[i].sl_stack)->ps_count)
				    << i % PCP_ORDERS;
	}
	return nr_pages;
}
