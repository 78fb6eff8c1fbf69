/*
 * SRAT: which proximity domain memory and CPUs belong to. Types 0 (local APIC), 1 (memory) and 2
 * (x2APIC); all others are skipped by their length and counted.
 *
 * Nodes: the domains of all enabled entries, sorted by number, are nodes 0, 1, 2... So the same
 * table gives the same nodes whatever the order of its entries. Domains past DOLMEN_MAX_NODES in
 * that order are ignored with their entries.
 */
#ifndef MM_SRAT_H
#define MM_SRAT_H

#include <dolmen/init.h>
#include <dolmen/limits.h>
#include "mm/acpi.h"

#define SRAT_NO_NODE 0xff /* a CPU without an entry */

_Static_assert(DOLMEN_MAX_NODES <= SRAT_NO_NODE, "a node and the mark for none fit 8 bits");

/* Last byte, not end: a range may reach 2^64 - 1. */
struct srat_memory {
	uint64_t first_byte;
	uint64_t last_byte;
	uint8_t nid;
	bool hotplug;
	bool nonvolatile;
};

struct srat {
	unsigned nr_nodes;
	uint32_t pxm[DOLMEN_MAX_NODES]; /* of each node, rising */

	/*
	 * By first byte, then last byte, then node. Empty ranges and ranges past 2^64 are left out.
	 */
	unsigned nr_memory;
	struct srat_memory memory[DOLMEN_MAX_RANGES];

	unsigned nr_cpu_entries;     /* enabled and of a known node; duplicates count */
	unsigned nr_memory_entries;  /* enabled and of a known node; left out ones count */
	unsigned nr_skipped;	     /* of other types */
	unsigned nr_ignored_entries; /* enabled, of domains past the limit */
	unsigned nr_ignored_memory;  /* memory entries past DOLMEN_MAX_RANGES */
	bool truncated;		     /* the last entry passed the table's end and was dropped */
	bool bad_checksum;	     /* the table is used all the same */
};

/*
 * Fills *out, which needs no preparation. Unless the result is ACPI_USABLE, *out has no nodes: one
 * node then holds all memory and all CPUs. About 25 KiB: not for the stack.
 */
enum acpi_verdict srat_parse(const void *bytes, size_t size_bytes, struct srat *out);

/*
 * The same of nodes that the host made: node and domain are one number. Memory of nodes that do
 * not exist, or past DOLMEN_MAX_NODES, is ignored and counted.
 */
enum acpi_verdict srat_of_nodes(const struct dolmen_nodes *nodes, struct srat *out);

/*
 * nids[i] becomes the node of the CPU with apic_ids[i], or SRAT_NO_NODE. Of several entries for one
 * CPU the last wins. The same bytes that srat_parse() found usable, and what it made of them.
 */
void srat_cpu_nodes(const void *bytes, size_t size_bytes, const struct srat *srat,
	const uint32_t *apic_ids, unsigned nr_cpus, uint8_t *nids);

#endif
