/*
 * The page allocator as other rooms of mm/ and the tests see it; the calls for everyone are in
 * <dolmen/page.h>.
 */
#ifndef MM_PAGE_ALLOC_H
#define MM_PAGE_ALLOC_H

#include <dolmen/page.h>
#include <dolmen/port.h>

#include "lib/names.h"

/*
 * Free pages of a node, or of all with NUMA_NO_NODE: those in page caches and in sections not yet
 * initialised are free too. Exact while no CPU allocates or frees, otherwise within what is under
 * way.
 */
uint64_t numa_free_pages(int nid);

/*
 * Gives the page caches of all CPUs back to the buddy allocator; with interrupts off, this CPU's.
 * Any context but NMI.
 */
void page_alloc_drain(void);

/*
 * Called once, with interrupts as the caller has them, when a request without __GFP_HIGH found
 * nothing; true asks for one more try. NULL until reclaim registers itself, before other CPUs run.
 */
extern bool (*page_reclaim)(int nid, gfp_t gfp, unsigned order);

/* Allocations that failed since boot, injected ones included. */
uint64_t page_alloc_failures(void);

/*
 * Boot, after memmap_init(): takes over what memblock has left. False if a zone or page cache
 * cannot be set up.
 */
bool page_alloc_init(void);

struct pfn_range;

/*
 * Pages in no block, used and with their memmap, become free on range->nid, which has memory. One
 * call at a time; other CPUs may allocate and free.
 */
void page_alloc_add(const struct pfn_range *range);

/* Pages of a node that were handed over. */
uint64_t page_alloc_managed(unsigned nid);

/* Pages that nobody can use, because there was no memory for their struct pages. */
uint64_t page_alloc_lost(void);

#endif
