/*
 * The bench as a Linux program:
 *
 *	build/host/bench [list | WORD...]	TSC ticks of this machine, for orders of magnitude
 *	bench/run hosted [WORD...]		under callgrind: instructions, the same in every run
 *
 * One thread is all CPUs in turn, of a machine of 16 CPUs and 4 nodes at distances 10, 20, 20, 30.
 * Under callgrind each count is a dump of its own, a file whose last line has the sum.
 */
#include "arch/hosted/hosted.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <valgrind/callgrind.h>
#include <x86intrin.h>

#include "bench/machine.h"
#include "bench/report.h"

#define NR_CPUS	   16
#define NR_NODES   4
#define NODE_BYTES (1ul << 30)

static const char *dumps; /* what the names of callgrind's files begin with; NULL: not under it */
static unsigned nr_dumps;

void port_log(const char *line)
{
	fprintf(stderr, "%s\n", line);
}

void port_panic(const char *line)
{
	hosted_die("panic: %s", line);
}

/* The sum of the newest dump, which goes. */
static uint64_t dumped(void)
{
	char name[256], line[256];
	uint64_t sum = 0;
	bool found = false;

	snprintf(name, sizeof(name), "%s.%u", dumps, ++nr_dumps);
	FILE *file = fopen(name, "r");
	while (file && fgets(line, sizeof(line), file))
		found |= sscanf(line, "totals: %lu", &sum) == 1;
	if (!found)
		hosted_die("bench: callgrind left no sum in %s", name);
	fclose(file);
	unlink(name);
	return sum;
}

uint64_t machine_ticks_on(unsigned cpu, void (*fn)(void *), void *arg)
{
	uint64_t ticks;

	hosted_become_cpu(cpu);
	if (dumps) {
		CALLGRIND_ZERO_STATS;
		fn(arg);
		CALLGRIND_DUMP_STATS;
		ticks = dumped();
	} else {
		ticks = __rdtsc();
		fn(arg);
		ticks = __rdtsc() - ticks;
	}
	hosted_become_cpu(0);
	return ticks;
}

bool machine_counts_instructions(void)
{
	return dumps;
}

const char *machine_build(void)
{
	const char *name = getenv("BENCH_BUILD");

	return name ? name : "hosted";
}

bool machine_is_slow(void)
{
	return dumps;
}

bool machine_online(unsigned cpu)
{
	return cpu < NR_CPUS;
}

unsigned machine_nr_online(void)
{
	return NR_CPUS;
}

void machine_print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	fflush(stdout);
}

static unsigned distance(unsigned from, unsigned to)
{
	if (from == to)
		return 10;
	return (from ^ to) == 3 ? 30 : 20;
}

static bool start(void)
{
	static struct mem_range ranges[NR_NODES];
	static uint32_t apic_ids[NR_CPUS];
	static struct hosted_table srat, slit;
	struct dolmen_init init = {.ranges = ranges,
		.nr_ranges = NR_NODES,
		.apic_ids = apic_ids,
		.nr_cpus = NR_CPUS,
		.srat = srat.bytes,
		.slit = slit.bytes};

	hosted_srat_begin(&srat);
	for (unsigned node = 0; node < NR_NODES; node++) {
		ranges[node] = (struct mem_range){node * NODE_BYTES, NODE_BYTES, MEM_USABLE};
		hosted_srat_memory(&srat, node, node * NODE_BYTES, NODE_BYTES);
	}
	for (unsigned cpu = 0; cpu < NR_CPUS; cpu++) {
		apic_ids[cpu] = cpu;
		hosted_srat_cpu(&srat, cpu / (NR_CPUS / NR_NODES), cpu);
	}
	hosted_table_end(&srat);
	hosted_slit(&slit, NR_NODES, distance);
	init.srat_bytes = srat.size_bytes;
	init.slit_bytes = slit.size_bytes;
	return hosted_start(&init);
}

int main(int argc, char **argv)
{
	dumps = RUNNING_ON_VALGRIND ? getenv("BENCH_DUMPS") : NULL;
	if (!start())
		return 2;
	for (unsigned cpu = 1; cpu < NR_CPUS; cpu++) {
		hosted_become_cpu(cpu);
		dolmen_cpu_online(cpu);
	}
	hosted_become_cpu(0);
	if (argc == 2 && !strcmp(argv[1], "list")) {
		bench_list();
		return 0;
	}
	return !bench_run((unsigned)argc - 1, argv + 1);
}
