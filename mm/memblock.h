/*
 * Allocation before there are pages. Boot CPU only, until memblock_end().
 */
#ifndef MM_MEMBLOCK_H
#define MM_MEMBLOCK_H

#include <dolmen/port.h>
#include <dolmen/range.h>

#include "lib/names.h"

/* `ranges`: normalised, each on one node; copied. */
void memblock_init(const struct pfn_range *ranges, unsigned nr_ranges);

/*
 * The highest memory of node `nid` that fits. A page or more: whole pages; less: cache lines of a
 * page shared with other such requests. Not zeroed. NULL when nothing fits or after memblock_end().
 */
void *memblock_alloc(size_t size_bytes, unsigned nid);

/* Pages taken so far. */
uint64_t memblock_taken(void);

/* Whether all of [start_pfn, end_pfn) is free. */
bool memblock_is_free(uint64_t start_pfn, uint64_t end_pfn);

/* The i-th free range in ascending order; false past the last. */
bool memblock_free_range(unsigned i, struct pfn_range *out);

/* What is free now goes to the page allocator: no allocation succeeds from here on. */
void memblock_end(void);

#endif
