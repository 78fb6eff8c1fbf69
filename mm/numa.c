/*
 * Nodes: from SRAT and SLIT, or what the host says in their place, to the answers that allocation
 * needs.
 *
 * A node may lack memory, CPUs, or both. A CPU's memory node is the nearest one with memory as seen
 * from its own node. The fallback list of a node holds all nodes with memory, nearest first;
 * distances are kept as the table has them, row from, column to. Nodes at equal distance come in
 * the order of their numbers, beginning after the node itself and going round: with four equal
 * nodes, node 2 falls back to 3, 0, 1. So the overflow of different nodes goes to different
 * neighbours first, and does not all arrive at node 0.
 *
 * Everything here is written at boot, before other CPUs run, and only read after that.
 */
#include "mm/numa.h"

#include <dolmen/gfp.h>
#include "lib/memory.h"
#include "mm/log.h"
#include "mm/memblock.h"
#include "mm/range.h"
#include "mm/slit.h"
#include "mm/srat.h"

static unsigned nr_nodes = 1, nr_cpus = 1;
static uint32_t node_pxm[DOLMEN_MAX_NODES];
static uint64_t node_pages[DOLMEN_MAX_NODES];
static uint8_t cpu_nodes[DOLMEN_MAX_CPUS];
static uint8_t distances[DOLMEN_MAX_NODES][DOLMEN_MAX_NODES];
static uint8_t fallback[DOLMEN_MAX_NODES][DOLMEN_MAX_NODES]; /* nodes with memory, nearest first */
static unsigned nr_memory_nodes;
static uint8_t cpu_llcs[DOLMEN_MAX_CPUS]; /* last-level caches, counted anew on each node */
static uint16_t nr_llcs[DOLMEN_MAX_NODES];

static struct srat srat; /* too large for a stack; without entries if there is one node */

/* ---- nodes ---- */

static void count_pages(const struct pfn_range *ranges, unsigned nr_ranges)
{
	memset(node_pages, 0, sizeof(node_pages));
	for (unsigned i = 0; i < nr_ranges; i++)
		node_pages[ranges[i].nid] += ranges[i].end_pfn - ranges[i].start_pfn;
}

static unsigned one_node(const struct pfn_range *in, unsigned nr_in, struct pfn_range *out)
{
	memset(&srat, 0, sizeof(srat));
	nr_nodes = 1;
	node_pxm[0] = 0;
	memset(cpu_nodes, 0, sizeof(cpu_nodes));
	memcpy(out, in, nr_in * sizeof(*out));
	count_pages(out, nr_in);
	return nr_in;
}

static void place_cpus(const struct dolmen_init *init)
{
	unsigned first_memory = 0, nr_unknown = 0;

	while (first_memory < nr_nodes - 1 && !node_pages[first_memory])
		first_memory++;
	memset(cpu_nodes, SRAT_NO_NODE, nr_cpus);
	if (init->nodes && init->nodes->cpu_nodes)
		memcpy(cpu_nodes, init->nodes->cpu_nodes, nr_cpus);
	else if (!init->nodes && init->apic_ids)
		srat_cpu_nodes(
			init->srat, init->srat_bytes, &srat, init->apic_ids, nr_cpus, cpu_nodes);
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		if (cpu_nodes[cpu] < nr_nodes)
			continue;
		cpu_nodes[cpu] = (uint8_t)first_memory;
		nr_unknown++;
	}
	if (nr_unknown)
		mm_log("numa: %u CPUs of no known node are on node %u", nr_unknown, first_memory);
}

/*
 * Ranges in `out` and CPUs placed by the host's nodes or the SRAT, or on one node with a line that
 * says why.
 */
static unsigned find_nodes(const struct dolmen_init *init, const struct pfn_range *in,
	unsigned nr_in, struct pfn_range *out)
{
	const char *of = init->nodes ? "the host's nodes" : "SRAT";
	struct range_nodes result;
	enum acpi_verdict verdict;

	if (!init->nodes && !init->srat)
		return one_node(in, nr_in, out);
	if (init->nodes)
		verdict = srat_of_nodes(init->nodes, &srat);
	else
		verdict = srat_parse(init->srat, init->srat_bytes, &srat);
	if (verdict == ACPI_USABLE)
		verdict = range_assign(in, nr_in, &srat, out, DOLMEN_MAX_RANGES, &result);
	if (verdict != ACPI_USABLE) {
		mm_log("numa: %s not used, one node: %s", of, acpi_verdict_text(verdict));
		return one_node(in, nr_in, out);
	}

	nr_nodes = srat.nr_nodes;
	memcpy(node_pxm, srat.pxm, sizeof(node_pxm));
	count_pages(out, result.nr_ranges);
	place_cpus(init);
	if (srat.nr_ignored_entries)
		mm_log("numa: %u entries of %s past the first %u nodes are ignored",
			srat.nr_ignored_entries, of, srat.nr_nodes);
	if (srat.nr_ignored_memory)
		mm_log("numa: %u memory entries of %s past the first %u are ignored",
			srat.nr_ignored_memory, of, DOLMEN_MAX_RANGES);
	if (result.nr_uncovered_pages || result.nr_misplaced_pages)
		mm_log("numa: %lu pages in no entry and %lu past the limit of ranges went to "
		       "a "
		       "neighbour's node",
			result.nr_uncovered_pages, result.nr_misplaced_pages);
	return result.nr_ranges;
}

/* ---- distances ---- */

static void find_distances(const struct dolmen_init *init)
{
	struct slit slit = {0};
	enum acpi_verdict verdict = ACPI_USABLE;

	if (init->nodes)
		verdict = slit_of_matrix(init->nodes->distances, init->nodes->nr_nodes, &slit);
	else if (init->slit)
		verdict = slit_parse(init->slit, init->slit_bytes, &slit);
	if (verdict != ACPI_USABLE)
		mm_log("numa: %s not used, distances 10 and 20: %s",
			init->nodes ? "the host's distances" : "SLIT", acpi_verdict_text(verdict));
	for (unsigned from = 0; from < nr_nodes; from++)
		for (unsigned to = 0; to < nr_nodes; to++)
			distances[from][to] =
				(uint8_t)slit_distance(&slit, node_pxm[from], node_pxm[to]);
}

/* Whether `a` comes before `b` in the fallback list of `from`. */
static bool is_nearer(unsigned from, unsigned a, unsigned b)
{
	if (distances[from][a] != distances[from][b])
		return distances[from][a] < distances[from][b];
	return (a + nr_nodes - from) % nr_nodes < (b + nr_nodes - from) % nr_nodes;
}

static void order_fallback(unsigned from)
{
	nr_memory_nodes = 0;
	for (unsigned nid = 0; nid < nr_nodes; nid++) {
		unsigned at = nr_memory_nodes;

		if (!node_pages[nid])
			continue;
		for (; at > 0 && is_nearer(from, nid, fallback[from][at - 1]); at--)
			fallback[from][at] = fallback[from][at - 1];
		fallback[from][at] = (uint8_t)nid;
		nr_memory_nodes++;
	}
}

/* ---- last-level caches ---- */

/* The one that a CPU before this one, of the same node, has too; -1: it is the first. */
static int known_llc(const struct dolmen_init *init, unsigned cpu)
{
	uint32_t id = init->apic_ids[cpu] >> init->llc_shift;

	for (unsigned other = 0; other < cpu; other++)
		if (cpu_nodes[other] == cpu_nodes[cpu] &&
			init->apic_ids[other] >> init->llc_shift == id)
			return cpu_llcs[other];
	return -1;
}

static void find_llcs(const struct dolmen_init *init)
{
	memset(nr_llcs, 0, sizeof(nr_llcs));
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		int known = init->apic_ids && init->llc_shift ? known_llc(init, cpu) : 0;
		unsigned llc = known < 0 ? nr_llcs[cpu_nodes[cpu]]++ : (unsigned)known;

		cpu_llcs[cpu] = (uint8_t)(llc % DOLMEN_MAX_LLCS);
	}
}

unsigned numa_init(const struct dolmen_init *init, const struct pfn_range *in, unsigned nr_in,
	struct pfn_range *out)
{
	unsigned nr_out;

	nr_cpus = init->nr_cpus;
	nr_out = find_nodes(init, in, nr_in, out);
	find_distances(init);
	for (unsigned nid = 0; nid < nr_nodes; nid++)
		order_fallback(nid);
	find_llcs(init);
	return nr_out;
}

void numa_forget_memory(unsigned nid)
{
	node_pages[nid] = 0;
	for (unsigned from = 0; from < nr_nodes; from++)
		order_fallback(from);
}

void *numa_boot_alloc(size_t size_bytes, unsigned nid, bool zero)
{
	void *result = NULL;

	for (unsigned i = 0; !result && i < nr_memory_nodes; i++)
		result = memblock_alloc(size_bytes, fallback[nid][i]);
	if (result && zero)
		memset(result, 0, size_bytes);
	return result;
}

/* ---- answers ---- */

unsigned numa_memory_node(uint64_t phys)
{
	for (unsigned i = 0; i < srat.nr_memory; i++)
		if (phys >= srat.memory[i].first_byte && phys <= srat.memory[i].last_byte)
			return fallback[srat.memory[i].nid][0];
	return fallback[0][0];
}

unsigned numa_nr_nodes(void)
{
	return nr_nodes;
}

unsigned numa_nr_cpus(void)
{
	return nr_cpus;
}

uint32_t numa_pxm(unsigned nid)
{
	return node_pxm[nid];
}

bool numa_has_memory(unsigned nid)
{
	return nid < nr_nodes && node_pages[nid];
}

unsigned numa_distance(unsigned from, unsigned to)
{
	return distances[from][to];
}

unsigned cpu_to_node(unsigned cpu)
{
	return cpu_nodes[cpu];
}

unsigned cpu_to_mem(unsigned cpu)
{
	return fallback[cpu_nodes[cpu]][0];
}

unsigned numa_nr_llcs(unsigned nid)
{
	unsigned nr = nr_llcs[nid] ? nr_llcs[nid] : 1;

	return nr < DOLMEN_MAX_LLCS ? nr : DOLMEN_MAX_LLCS;
}

unsigned cpu_to_llc(unsigned cpu)
{
	return cpu_llcs[cpu];
}

int numa_fallback(unsigned nid, unsigned i)
{
	return i < nr_memory_nodes ? fallback[nid][i] : NUMA_NO_NODE;
}
