/*
 * The commands that show the machine as it was found: cpus, mem, numa.
 */
#include "kernel/console.h"

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include "kernel/smp.h"
#include "lib/printf.h"
#include "mm/page_alloc.h"
#include "mm/pcp.h"

#define MATRIX_NODES 8 /* more do not fit a line: then each node's distances are told as runs */

bool cmd_cpus(unsigned nr_words, char **words)
{
	if (nr_words > 1)
		return console_usage(words[0]);
	console_print("  CPU     APIC  node  cache  memory node  state\n");
	for (unsigned cpu = 0; cpu < smp_nr_cpus(); cpu++)
		console_print("%5u %8x %5u %6u %12u  %s\n", cpu, smp_apic_id(cpu), cpu_to_node(cpu),
			cpu_to_llc(cpu), cpu_to_mem(cpu),
			smp_online(cpu) ? "online" : "did not start");
	console_print("%u of %u CPUs online; %s\n", smp_nr_online(), smp_nr_cpus(),
		port_has_cas16() ? "lockless by cmpxchg16b" : "no cmpxchg16b: page locks");
	return smp_nr_online() == smp_nr_cpus();
}

/* parts / whole in hundredths of a per cent */
static unsigned hundredths(uint64_t parts, uint64_t whole)
{
	return whole ? (unsigned)(parts * 10000 / whole) : 0;
}

static void print_pages(
	const char *what, uint64_t nr_pages, const struct dolmen_memory *memory, bool exact)
{
	unsigned share = hundredths(nr_pages, memory->usable);
	char size[24];

	console_print("%-12s %12lu %18s %5u.%02u %%\n", what, nr_pages,
		console_size(size, nr_pages << PAGE_SHIFT, exact), share / 100, share % 100);
}

static void print_zones(bool exact)
{
	static const char *const zone_names[NR_ZONES] = {"DMA32", "NORMAL"};
	char managed[24], free[24];

	console_print("\nnode zone              managed             free\n");
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		if (!numa_has_memory(nid))
			continue;
		for (unsigned i = 0; i < NR_ZONES; i++) {
			struct zone *zone = &port_load(&node_zones[nid])[i];
			uint64_t nr_managed = port_load(&zone->zn_managed);
			uint64_t nr_free = port_load(&zone->zn_free) + port_load(&zone->zn_late);

			if (nr_managed)
				console_print("%4u %-8s %16s %16s\n", nid, zone_names[i],
					console_size(managed, nr_managed << PAGE_SHIFT, exact),
					console_size(free, nr_free << PAGE_SHIFT, exact));
		}
		console_print("%4u in page caches %26s\n", nid,
			console_size(free, pcp_pages(nid) << PAGE_SHIFT, exact));
	}
}

bool cmd_mem(unsigned nr_words, char **words)
{
	bool exact = console_exact(&nr_words, words);
	struct dolmen_memory memory;

	if (nr_words > 1)
		return console_usage(words[0]);
	dolmen_memory(&memory);
	bool adds_up = memory.usable == memory.managed + memory.metadata + memory.reserved;
	unsigned cost = hundredths(memory.memmap, memory.usable);

	console_print("                    pages               size    share\n");
	print_pages("usable", memory.usable, &memory, exact);
	print_pages("  managed", memory.managed, &memory, exact);
	print_pages("    free", memory.free, &memory, exact);
	print_pages("  metadata", memory.metadata, &memory, exact);
	print_pages("    memmap", memory.memmap, &memory, exact);
	print_pages("  reserved", memory.reserved, &memory, exact);
	console_print("usable = managed + metadata + reserved: %s\n", adds_up ? "yes" : "NO");
	console_print("64 bytes a page cost %u.%02u %% of usable memory\n", cost / 100, cost % 100);
	print_zones(exact);
	return adds_up;
}

/* "0-3,8" into a buffer, of the CPUs on a node; cut with ".." if it does not fit. */
static const char *cpu_list(char *buf, size_t size_bytes, unsigned nid)
{
	size_t at = 0;
	unsigned nr_cpus = numa_nr_cpus();

	buf[0] = '\0';
	for (unsigned first = 0; first < nr_cpus; first++) {
		unsigned last = first;

		if (cpu_to_node(first) != nid)
			continue;
		while (last + 1 < nr_cpus && cpu_to_node(last + 1) == nid)
			last++;
		if (at + 14 > size_bytes) {
			format_text(buf + at, size_bytes - at, "..");
			return buf;
		}
		at += format_text(buf + at, size_bytes - at, at ? ",%u" : "%u", first);
		if (last > first)
			at += format_text(buf + at, size_bytes - at, "-%u", last);
		first = last;
	}
	return at ? buf : "-";
}

static void print_matrix(unsigned nr_nodes)
{
	console_print("\nfrom/to");
	for (unsigned to = 0; to < nr_nodes; to++)
		console_print("%5u", to);
	for (unsigned from = 0; from < nr_nodes; from++) {
		console_print("\n%7u", from);
		for (unsigned to = 0; to < nr_nodes; to++)
			console_print("%5u", numa_distance(from, to));
	}
	console_print("\n");
}

/* "node 3: 20 to 0-2, 10 to 3, 20 to 4-63", broken before a line grows too long */
static void print_distance_runs(unsigned from, unsigned nr_nodes)
{
	char run[40];
	size_t column = format_text(run, sizeof(run), "node %u:", from);

	console_print("%s", run);
	for (unsigned first = 0; first < nr_nodes;) {
		unsigned last = first, distance = numa_distance(from, first);

		while (last + 1 < nr_nodes && numa_distance(from, last + 1) == distance)
			last++;
		size_t length =
			first == last ? format_text(run, sizeof(run), " %u to %u", distance, first)
				      : format_text(run, sizeof(run), " %u to %u-%u", distance,
						first, last);
		if (column + length > 90) {
			console_print("\n        ");
			column = 8;
		}
		console_print("%s%s", run, last + 1 < nr_nodes ? "," : "");
		column += length + 1;
		first = last + 1;
	}
	console_print("\n");
}

bool cmd_numa(unsigned nr_words, char **words)
{
	bool exact = console_exact(&nr_words, words);
	unsigned nr_nodes = numa_nr_nodes();

	if (nr_words > 1)
		return console_usage(words[0]);
	console_print("node        pxm           memory             free  CPUs\n");
	for (unsigned nid = 0; nid < nr_nodes; nid++) {
		char cpus[44], managed[24], free[24];
		console_print("%4u %10u %16s %16s  %s\n", nid, numa_pxm(nid),
			console_size(managed, page_alloc_managed(nid) << PAGE_SHIFT, exact),
			console_size(free, numa_free_pages((int)nid) << PAGE_SHIFT, exact),
			cpu_list(cpus, sizeof(cpus), nid));
	}
	if (nr_nodes == 1)
		return true;
	if (nr_nodes <= MATRIX_NODES) {
		print_matrix(nr_nodes);
		return true;
	}
	console_print("\n");
	for (unsigned nid = 0; nid < nr_nodes; nid++)
		print_distance_runs(nid, nr_nodes);
	return true;
}
