/*
 * The free memory of one node and zone, in blocks of 2^0 to 2^DOLMEN_MAX_ORDER pages.
 */
#ifndef MM_BUDDY_H
#define MM_BUDDY_H

#include "mm/lock.h"
#include "mm/memmap.h"

/* How many pages must stay behind after a request: see mm/page_alloc.c. */
enum zone_mark { MARK_NONE, MARK_MIN, MARK_LOW, MARK_HIGH, NR_MARKS };

struct zone {
	struct spinlock zn_lock;
	uint32_t zn_orders;	     /* bit set: that order has a block; under zn_lock */
	uint64_t zn_free;	     /* pages in blocks; written under zn_lock, read by all */
	uint64_t zn_late;	     /* pages in sections not yet initialised; likewise */
	uint64_t zn_managed;	     /* pages handed over; by one CPU at a time, read by all */
	uint64_t zn_marks[NR_MARKS]; /* likewise */
	uint64_t zn_home;	     /* node and zone as in pg_word; read only after boot */
	struct list_head zn_blocks[DOLMEN_MAX_ORDER + 1]; /* free heads, hot ones first; zn_lock */
} __attribute__((aligned(DOLMEN_CACHE_LINE)));

/*
 * [node][zone], each node's on its own memory; NULL for a node without memory. Written at boot
 * only.
 */
extern struct zone *node_zones[DOLMEN_MAX_NODES];

/* Boot: zones without pages for the nodes that have memory. */
bool buddy_init(void);

/*
 * A block of 2^order pages as PAGE_PCP, or NULL. Under zn_lock.
 */
struct page *buddy_take(struct zone *zone, unsigned order);

/* A block, PAGE_PCP, whose head has its order set, goes back and merges. Under zn_lock. */
void buddy_give(struct zone *zone, struct page *page, unsigned order);

/*
 * Splits [start_pfn, end_pfn), used pages of this zone in one section and in no block, into blocks
 * and gives them. Takes zn_lock.
 */
void buddy_add(struct zone *zone, uint64_t start_pfn, uint64_t end_pfn);

/* The zone that a page with this first word belongs to. */
static inline struct zone *word_zone(uint64_t word)
{
	return &node_zones[page_node(word)][page_zone(word)];
}

#endif
