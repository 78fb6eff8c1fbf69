/*
 * Nodes as the rooms of mm/ that build on them see them; <dolmen/numa.h> is for everyone.
 */
#ifndef MM_NUMA_H
#define MM_NUMA_H

#include <dolmen/init.h>
#include <dolmen/numa.h>

#include "lib/names.h"

/*
 * Boot: finds the nodes of the machine and cuts the normalised ranges `in` by them into `out`,
 * which has room for DOLMEN_MAX_RANGES. Tables that are not usable cost one line, not the boot.
 * Returns how many ranges.
 */
unsigned numa_init(const struct dolmen_init *init, const struct pfn_range *in, unsigned nr_in,
	struct pfn_range *out);

/*
 * Boot memory of `nid`, or else of the nearest node that has some; zeroed if asked. NULL when there
 * is none anywhere.
 */
void *numa_boot_alloc(size_t size_bytes, unsigned nid, bool zero);

/* The node that SRAT or host say `phys` is on, or the nearest to it with memory; else node 0's. */
unsigned numa_memory_node(uint64_t phys);

/* Boot: all memory of this node went to metadata, so from here on it is a node without. */
void numa_forget_memory(unsigned nid);

#endif
