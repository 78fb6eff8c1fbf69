/*
 * The page cache of each CPU: a stack of blocks for each zone of the CPU's memory node and each order up to 3.
 *
 * Push and pop are here, inline, because they are most of what an allocation costs.
 */
#ifndef MM_PCP_H
#define MM_PCP_H

#include "mm/buddy.h"
#include "mm/percpu.h"

#define PCP_ORDERS 4 /* 0..3: what slabs are made of */

/* Blocks that a stack can hold at most, by order; pcp_init() sets a lower limit on a small machine. */
#define PCP_MAX_0      128
#define PCP_MAX_1      32
#define PCP_MAX_2      16
#define PCP_MAX_3      16
#define PCP_MAX_BLOCKS (PCP_MAX_0 + PCP_MAX_1 + PCP_MAX_2 + PCP_MAX_3)

struct pcp_stack {
	uint32_t pc_count;	/* blocks held; under pc_lock, read by all */
	uint32_t pc_high;	/* blocks at which a free gives a batch back; set at boot */
	uint32_t pc_batch;	/* blocks moved at a time; set at boot */
	struct page **pc_pages; /* into pc_blocks; set at boot. [0] is the coldest */
};

struct pcp {
	struct spinlock pc_lock; /* its CPU's, for push and pop; others only drain */
	uint32_t pc_node;	 /* the CPU's memory node, placed as in pg_word; set at boot */
	struct pcp_stack
		*pc_top; /* stacks of the node's highest zone that has pages; set at boot */
	struct pcp_stack pc_stacks[NR_ZONES][PCP_ORDERS];
	struct page *pc_blocks[NR_ZONES][PCP_MAX_BLOCKS];
};

#define PCP_OFFSET PERCPU_FIRST /* of the struct pcp in each per-CPU area */

static inline struct pcp *this_pcp(void)
{
	return this_percpu(PCP_OFFSET);
}

/* The hottest block, PAGE_USED from here on, or NULL. Under pc_lock. */
static inline struct page *pcp_pop(struct pcp_stack *stack)
{
	uint32_t count = port_load(&stack->pc_count);

	if (unlikely(!count))
		return NULL;
	struct page *page = port_load(&port_load(&stack->pc_pages)[count - 1]);

	port_store(&stack->pc_count, count - 1);
	port_store(&page->pg_word, port_load(&page->pg_word) ^ (PAGE_PCP ^ PAGE_USED));
	return page;
}

/* A block that is PAGE_PCP by now. Under pc_lock, with pc_count below pc_high. */
static inline void pcp_push(struct pcp_stack *stack, uint32_t count, struct page *page)
{
	port_store(&port_load(&stack->pc_pages)[count], page);
	port_store(&stack->pc_count, count + 1);
}

/* Boot, with all zones filled: places and sizes the stacks of every CPU. */
bool pcp_init(void);

/*
 * Fills an empty stack with up to a batch of blocks from `zone`, as long as `reserve` pages stay in it.
 * Under pc_lock; takes zn_lock. False if it got none.
 */
bool pcp_refill(struct pcp_stack *stack, struct zone *zone, unsigned order, uint64_t reserve);

/* Gives the coldest `nr_blocks`, at most all, back to `zone`. Under pc_lock; takes zn_lock. */
void pcp_drain_stack(
	struct pcp_stack *stack, struct zone *zone, unsigned order, uint32_t nr_blocks);

/* Gives everything in all CPUs' caches back. True if there was any. Takes each pc_lock in turn. */
bool pcp_drain_all(void);

/* Pages in the caches of the CPUs whose memory node is `nid`. */
uint64_t pcp_pages(unsigned nid);

#endif
