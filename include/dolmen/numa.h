/*
 * Nodes: proximity domains compacted to 0..n-1. A node may have memory, CPUs, both, or neither.
 * From the end of dolmen_init() on, in any context. A `nid` is below numa_nr_nodes(), a `cpu` below
 * numa_nr_cpus().
 */
#ifndef DOLMEN_NUMA_H
#define DOLMEN_NUMA_H

#include <stdbool.h>
#include <stdint.h>

#include <dolmen/names.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LOCAL_DISTANCE	10
#define REMOTE_DISTANCE 20

/* How many nodes, and how many CPUs dolmen_init() was told of; 1 at the least. */
unsigned numa_nr_nodes(void);
unsigned numa_nr_cpus(void);

/* The proximity domain that node `nid` is in firmware's tables. */
uint32_t numa_pxm(unsigned nid);

/* Whether it had memory at start-up. */
bool numa_has_memory(unsigned nid);

/* LOCAL_DISTANCE from a node to itself, up to 255 to others, as the SLIT or the host says. */
unsigned numa_distance(unsigned from, unsigned to);

/* The node of a CPU, and the nearest node to it that has memory. */
unsigned cpu_to_node(unsigned cpu);
unsigned cpu_to_mem(unsigned cpu);

/* Last-level caches of a node's CPUs, 1 at the least, and which of its node's is a CPU's. */
unsigned numa_nr_llcs(unsigned nid);
unsigned cpu_to_llc(unsigned cpu);

/* The `i`-th nearest node with memory as seen from `nid`, i from 0; NUMA_NO_NODE past the last. */
int numa_fallback(unsigned nid, unsigned i);

#ifdef __cplusplus
}
#endif

#endif
