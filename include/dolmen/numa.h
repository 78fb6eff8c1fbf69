/*
 * Nodes: proximity domains compacted to 0..n-1. A node may have memory, CPUs, both, or neither.
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

unsigned numa_nr_nodes(void);
unsigned numa_nr_cpus(void);
uint32_t numa_pxm(unsigned nid);
bool numa_has_memory(unsigned nid);
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
