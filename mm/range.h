/*
 * Memory ranges: from what firmware says to sorted, disjoint ranges of whole usable pages, each on
 * one node. Pure functions: no allocation, no state, no log.
 */
#ifndef MM_RANGE_H
#define MM_RANGE_H

#include <dolmen/range.h>
#include "mm/srat.h"

struct range_result {
	unsigned nr_ranges;
	uint64_t nr_pages;	   /* in those ranges */
	uint64_t nr_dropped_pages; /* usable, but in ranges that found no room */
	unsigned nr_dropped;	   /* such ranges */
	unsigned nr_invalid;	   /* raw entries that pass 2^64 */
};

/*
 * Writes at most `max` ranges to `out`, sorted, disjoint and not touching, with nid 0. A page is
 * usable if each of its bytes lies in a usable entry and none in another one. Entries that are
 * empty or pass 2^64 are as if absent. Where there are more than `max` ranges the smallest are left
 * out and counted.
 *
 * 0x1000-0x17ff and 0x1800-0x2fff usable, 0x2abc reserved: page 1.
 */
void range_normalise(const struct mem_range *raw, unsigned nr_raw, struct pfn_range *out,
	unsigned max, struct range_result *result);

struct range_nodes {
	unsigned nr_ranges;
	uint64_t nr_uncovered_pages; /* in no memory entry: went to a neighbour's node */
	uint64_t
		nr_misplaced_pages; /* on a neighbour's node because `max` left no room for a cut */
};

/*
 * Cuts the `nr_in` normalised ranges by node into at most `max` (at least nr_in) ranges in `out`,
 * sorted, disjoint, and touching only where the node changes. No page is lost.
 *
 * A page belongs to the memory entry that holds its first byte. A page in no entry goes to the node
 * of the entry that ends last before it, or where there is none, of the first one.
 *
 * ACPI_USABLE, SRAT_OVERLAP if a page belongs to two nodes, or SRAT_MEMORY_NOWHERE if none belongs
 * to any. In the last two cases `out` is not valid, and one node should hold all.
 */
enum acpi_verdict range_assign(const struct pfn_range *in, unsigned nr_in, const struct srat *srat,
	struct pfn_range *out, unsigned max, struct range_nodes *result);

#endif
