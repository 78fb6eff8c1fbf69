/*
 * The page cache of each CPU: a stack of blocks for each zone of the CPU's memory node and each
 * order up to 3. Each is behind a slot, so windows of its CPU pop and push: see <dolmen/port.h>.
 */
#ifndef MM_PCP_H
#define MM_PCP_H

#include "mm/buddy.h"
#include "mm/percpu.h"

#define PCP_ORDERS 4 /* 0..3: what slabs are made of */

/*
 * Blocks that a stack can hold at most, by order; pcp_init() sets a lower limit on a small machine.
 */
#define PCP_MAX_0 128
#define PCP_MAX_1 32
#define PCP_MAX_2 16
#define PCP_MAX_3 16

/* Of one zone: the counts of each stack and its blocks. */
#define PCP_WORDS (PCP_ORDERS + PCP_MAX_0 + PCP_MAX_1 + PCP_MAX_2 + PCP_MAX_3)

struct pcp {
	/* [0]: of the node's highest zone with pages. sl_stack: by whoever drains; see pcp.c */
	struct port_slot pc_slots[NR_ZONES][PCP_ORDERS];
	uint64_t pc_stacks[NR_ZONES][PCP_WORDS]; /* what they point to, one behind the other */
};

#define PCP_OFFSET PERCPU_FIRST /* of the struct pcp in each per-CPU area */

static inline struct pcp *this_pcp(void)
{
	return this_percpu(PCP_OFFSET);
}

/* The slot of an order for the node's highest zone. */
static inline uint32_t pcp_slot(unsigned order)
{
	return PCP_OFFSET + order * (uint32_t)sizeof(struct port_slot);
}

_Static_assert(offsetof(struct pcp, pc_slots) == 0, "pcp_slot()");

/* Of which blocks a slot is: node and zone of a first word. */
static inline uint16_t pcp_home(uint64_t word)
{
	return (uint16_t)((word & PAGE_HOME_MASK) >> PAGE_NODE_SHIFT);
}

/* Boot, with all zones filled: places and sizes the stacks of every CPU. */
bool pcp_init(void);

/*
 * A block, PAGE_PCP, of a zone: out of this CPU's stack for it or, with more to fill that, out of
 * the zone as long as `reserve` pages stay there. NULL: none. Interrupts off; takes zn_lock.
 */
struct page *pcp_take(struct zone *zone, unsigned order, uint64_t reserve);

/*
 * A block, PAGE_PCP, goes onto this CPU's stack for it, which gives some back if it is full; or to
 * its zone if there is no stack. Takes zn_lock.
 */
void pcp_give(struct page *page, unsigned order);

/*
 * Gives everything in all CPUs' caches back; with interrupts off, in this CPU's. True if there was
 * any.
 */
bool pcp_drain_all(void);

/* Pages in the caches of the CPUs whose memory node is `nid`. */
uint64_t pcp_pages(unsigned nid);

#endif
