/*
 * The command bench: what the calls cost, in instructions.
 *
 * Under `run-qemu.sh --icount` the TSC counts the guest's instructions, one each, and every run
 * gives the same figures. That holds only while nothing else runs: the other CPUs sit in hlt and
 * the periodic timers are off. Elsewhere the TSC's ticks are shown, with no verdict.
 *
 * A figure is the median over windows of a window's ticks, less those of a loop that calls nothing,
 * divided by its pairs of calls. Each call goes through its public name, with a size that the
 * compiler does not know unless the row says so.
 */
#include "kernel/console.h"

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include <dolmen/page.h>
#include <dolmen/slab.h>
#include "arch/x86_64/io.h"
#include "arch/x86_64/timer.h"
#include "kernel/smp.h"
#include "lib/printf.h"
#include "lib/sort.h"

#define NR_WINDOWS  31 /* and one before them that warms up */
#define HOT_PAIRS   200
#define OUT_OBJECTS 1000

/* What a pair of calls may cost at most. */
#define LIMIT_HOT   140
#define LIMIT_OUT   220
#define LIMIT_PAGES 120
#define LIMIT_BOOT  60000000ul /* from the kernel's entry to the first command: 1 GiB, 4 CPUs */

#define ICOUNT_TSC_PAIR 3 /* ticks between two reads of the TSC, when ticks are instructions */

static void *objects[OUT_OBJECTS];
static bool exact; /* ticks are instructions */
static unsigned nr_above;

/* Keeps the compiler from knowing the value. */
static inline size_t opaque(size_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

static void loop_hot(size_t size_bytes)
{
	(void)size_bytes;
	for (unsigned i = 0; i < HOT_PAIRS; i++)
		__asm__ volatile("");
}

static void run_hot(size_t size_bytes)
{
	for (unsigned i = 0; i < HOT_PAIRS; i++)
		kfree(kmalloc(opaque(size_bytes), GFP_KERNEL));
}

static void run_hot_const(size_t size_bytes)
{
	(void)size_bytes;
	for (unsigned i = 0; i < HOT_PAIRS; i++)
		kfree(kmalloc(64, GFP_KERNEL));
}

static void run_pages(size_t size_bytes)
{
	(void)size_bytes;
	for (unsigned i = 0; i < HOT_PAIRS; i++)
		__free_pages(alloc_pages(GFP_KERNEL, 0), 0);
}

static void loop_out(size_t size_bytes)
{
	(void)size_bytes;
	for (unsigned i = 0; i < OUT_OBJECTS; i++)
		__asm__ volatile("" : : "r"(&objects[i]) : "memory");
	for (unsigned i = 0; i < OUT_OBJECTS; i++)
		__asm__ volatile("" : : "r"(&objects[i]) : "memory");
}

static void run_out(size_t size_bytes)
{
	for (unsigned i = 0; i < OUT_OBJECTS; i++)
		objects[i] = kmalloc(opaque(size_bytes), GFP_KERNEL);
	for (unsigned i = 0; i < OUT_OBJECTS; i++)
		kfree(objects[i]);
}

struct result {
	uint64_t median, least, most; /* tenths of a tick for each pair of calls */
};

static int compare_ticks(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static struct result measure(
	void (*run)(size_t), void (*loop)(size_t), size_t size_bytes, unsigned nr_pairs)
{
	uint64_t ticks[NR_WINDOWS];

	run(size_bytes);
	for (unsigned i = 0; i < NR_WINDOWS; i++) {
		uint64_t start = read_tsc();

		loop(size_bytes);
		uint64_t middle = read_tsc();

		run(size_bytes);
		uint64_t with = read_tsc() - middle, without = middle - start;

		ticks[i] = with > without ? with - without : 0;
	}
	heap_sort(ticks, NR_WINDOWS, sizeof(ticks[0]), compare_ticks);
	return (struct result){
		.median = ticks[NR_WINDOWS / 2] * 10 / nr_pairs,
		.least = ticks[0] * 10 / nr_pairs,
		.most = ticks[NR_WINDOWS - 1] * 10 / nr_pairs,
	};
}

static const char *verdict(bool counts, bool above)
{
	if (!counts)
		return "";
	nr_above += above;
	return above ? "ABOVE" : "ok";
}

static void print_result(const char *what, size_t size_bytes, struct result r, unsigned limit)
{
	console_print("%-34s %6lu %6lu.%lu %6lu.%lu %6lu.%lu %10u  %s\n", what, size_bytes,
		r.median / 10, r.median % 10, r.least / 10, r.least % 10, r.most / 10, r.most % 10,
		limit, verdict(exact, r.median > limit * 10ul));
}

static bool ticks_are_instructions(void)
{
	for (unsigned i = 0; i < 64; i++) {
		uint64_t start = read_tsc();

		if (read_tsc() - start != ICOUNT_TSC_PAIR)
			return false;
	}
	return true;
}

static void print_boot(void)
{
	struct dolmen_memory memory;
	uint64_t ticks = console_boot_ticks();

	dolmen_memory(&memory);
	/* Firmware keeps some of the 1 GiB. */
	bool counts = exact && smp_nr_online() == 4 && memory.usable <= (1ul << 30) / PAGE_SIZE &&
		      memory.usable > (1ul << 30) / PAGE_SIZE * 9 / 10;

	console_print("%-34s %6s %8lu %28lu  %s\n", "boot, waits for hardware left out", "", ticks,
		LIMIT_BOOT, verdict(counts, ticks > LIMIT_BOOT));
}

bool cmd_bench(unsigned nr_words, char **words)
{
	if (nr_words > 1)
		return console_usage(words[0]);
	nr_above = 0;
	timer_set_rate(0);
	exact = ticks_are_instructions();
	console_print("%s; %u CPUs, %u nodes, %s; one pair of calls, median of %u windows\n",
		exact ? "instructions" : "TSC ticks, no instructions: see run-qemu.sh --icount",
		smp_nr_online(), numa_nr_nodes(), port_has_cas16() ? "lockless" : "page locks",
		NR_WINDOWS);
	console_print(
		"%-34s %6s %8s %8s %8s %10s\n", "", "bytes", "median", "least", "most", "limit");
	for (size_t size = 8; size <= 4096; size = kmalloc_size_roundup(size + 1))
		print_result("kmalloc + kfree, hot", size,
			measure(run_hot, loop_hot, size, HOT_PAIRS), LIMIT_HOT);
	print_result("kmalloc(constant) + kfree, hot", 64,
		measure(run_hot_const, loop_hot, 64, HOT_PAIRS), LIMIT_HOT);
	print_result("1000 out, back in order", 64, measure(run_out, loop_out, 64, OUT_OBJECTS),
		LIMIT_OUT);
	print_result("alloc_pages order 0 + free", PAGE_SIZE,
		measure(run_pages, loop_hot, 0, HOT_PAIRS), LIMIT_PAGES);
	print_boot();
	timer_set_rate(TIMER_HZ);
	if (exact)
		console_print("bench: %u above their limits\n", nr_above);
	return !nr_above;
}
