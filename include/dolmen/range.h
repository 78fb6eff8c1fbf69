/*
 * Ranges of physical memory as firmware reports them, and as the allocator uses them.
 */
#ifndef DOLMEN_RANGE_H
#define DOLMEN_RANGE_H

#include <stdint.h>

enum mem_kind { MEM_RESERVED, MEM_USABLE };

/* Raw, from any firmware: any order, overlapping, unaligned, empty, wrapping. */
struct mem_range {
	uint64_t start_bytes;
	uint64_t size_bytes;
	uint32_t kind; /* enum mem_kind; anything but MEM_USABLE is reserved */
};

/* Normalised: whole pages, sorted, disjoint. [start_pfn, end_pfn) */
struct pfn_range {
	uint64_t start_pfn;
	uint64_t end_pfn;
	uint32_t nid;
};

#endif
