/*
 * The page cache of each CPU: a stack of blocks for each zone of the CPU's memory node and each
 * order up to 3.
 *
 * Push and pop are here, inline, because they are most of what an allocation costs.
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
#define PCP_SLOTS (PCP_ORDERS + PCP_MAX_0 + PCP_MAX_1 + PCP_MAX_2 + PCP_MAX_3)

/*
 * Slots between pc_base and pc_next are filled, the last one hottest. The slot below pc_base holds
 * NULL for ever, so that an empty stack pops NULL without a test of its own.
 */
struct pcp_stack {
	struct page **pc_next;	/* the slot that a push fills; under pc_lock, read by all */
	struct page **pc_limit; /* pc_next at which a free gives a batch back; set at boot */
	struct page **pc_base;	/* set at boot */
	uint64_t pc_batch;	/* blocks moved at a time, 0: nothing is cached; set at boot */
};

struct pcp {
	struct spinlock pc_lock;  /* its CPU's, for push and pop; others only drain */
	uint16_t pc_node;	  /* the CPU's memory node, placed as in pg_word; set at boot */
	struct pcp_stack *pc_top; /* stacks of the node's highest zone with pages; set at boot */
	uint64_t pc_used_word;	  /* pg_word of a page of that zone in use, ... */
	uint64_t pc_free_word;	  /* ... and in this cache; set at boot */
	struct pcp_stack pc_stacks[NR_ZONES][PCP_ORDERS];
	struct page *pc_slots[NR_ZONES][PCP_SLOTS];
};

#define PCP_OFFSET PERCPU_FIRST /* of the struct pcp in each per-CPU area */

static inline struct pcp *this_pcp(void)
{
	return this_percpu(PCP_OFFSET);
}

/* The hottest block, or NULL; `used_word` becomes its first word. Under pc_lock. */
static inline struct page *pcp_pop(struct pcp_stack *stack, uint64_t used_word)
{
	struct page **next = port_load(&stack->pc_next);
	struct page *page = port_load(&next[-1]);

	if (unlikely(!page))
		return NULL;
	port_store(&stack->pc_next, next - 1);
	port_store(&page->pg_word, used_word);
	return page;
}

/* A block that is PAGE_PCP by now; `next` is pc_next, and below pc_limit. Under pc_lock. */
static inline void pcp_push(struct pcp_stack *stack, struct page **next, struct page *page)
{
	port_store(next, page);
	port_store(&stack->pc_next, next + 1);
}

static inline uint64_t pcp_count(const struct pcp_stack *stack)
{
	return (uint64_t)(port_load(&stack->pc_next) - port_load(&stack->pc_base));
}

/* Boot, with all zones filled: places and sizes the stacks of every CPU. */
bool pcp_init(void);

/*
 * Fills an empty stack with up to a batch of blocks from `zone`, as long as `reserve` pages stay in
 * it. Under pc_lock; takes zn_lock. False if it got none.
 */
bool pcp_refill(struct pcp_stack *stack, struct zone *zone, unsigned order, uint64_t reserve);

/* Gives the coldest `nr_blocks`, at most all, back to `zone`. Under pc_lock; takes zn_lock. */
void pcp_drain_stack(
	struct pcp_stack *stack, struct zone *zone, unsigned order, uint64_t nr_blocks);

/* Gives everything in all CPUs' caches back. True if there was any. Takes each pc_lock in turn. */
bool pcp_drain_all(void);

/* Pages in the caches of the CPUs whose memory node is `nid`. */
uint64_t pcp_pages(unsigned nid);

#endif
