/*
 * The command bench: what the calls cost, in instructions.
 *
 * Under `run-qemu.sh --icount` the TSC counts the guest's instructions, one each, and every run
 * gives the same figures. That holds only while one CPU runs at a time: all others sit in hlt, and
 * the periodic timers are off. Elsewhere the TSC's ticks are shown, with no verdict.
 *
 * A row is a loop that allocates and a loop that frees, which may run on different CPUs. Its two
 * figures are the medians over windows of a loop's ticks, less those of the same loop around a
 * function that only returns, divided by its calls, plus what that function took. Each call goes
 * through its public name, with a size that the compiler does not know unless the row says so. What
 * its caches keep free at the end of a row stands beside it: hoarding buys instructions.
 */
#include "kernel/console.h"

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include <dolmen/page.h>
#include <dolmen/slab.h>
#include "arch/x86_64/io.h"
#include "bench/nothing.h"
#include "arch/x86_64/timer.h"
#include "kernel/smp.h"
#include "lib/printf.h"
#include "lib/sort.h"
#include "mm/stats.h"

#define NR_WINDOWS  31 /* and two before them that warm up */
#define WARM_UP	    2
#define HOT	    200 /* pairs in a window of a row that holds one object */
#define MANY	    1000
#define MOST	    10000
#define LIMIT_BOOT  60000000ul /* from the kernel's entry to the first command: 1 GiB, 4 CPUs */
#define JSON_PREFIX "json: "

#define ICOUNT_TSC_PAIR 3 /* ticks between two reads of the TSC, when ticks are instructions */

enum order { IN_ORDER, AT_RANDOM };
enum where { HERE, OTHER_CPU, OTHER_NODE };

struct row {
	const char *id;
	size_t bytes;	  /* what the calls get */
	unsigned objects; /* out at a time; 1: hot */
	enum order order; /* in which they are freed */
	enum where frees;
	void (*alloc)(const struct row *row, unsigned n);
	void (*free)(const struct row *row, unsigned n);
	unsigned alloc_goal, free_goal;
	unsigned alloc_limit, free_limit; /* what fails; 0: the goal */
};

static void *objects[MOST];
static struct kmem_cache *hot_cache;
static int far_node;	     /* another node than this CPU's, or this one's if there is no other */
static uint64_t ticks_taken; /* by the loop that ran last, wherever it ran */
static bool exact;	     /* ticks are instructions */
static unsigned nr_above;

/* Keeps the compiler from knowing the value. */
static inline size_t opaque(size_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

/* ---- loops: the calls, and around nothing ---- */

/* All loops save and restore the same registers. */
#define SAVE_ALL() __asm__ volatile("" : : "r"(bytes) : "rbx", "r12", "r13", "r14", "r15")

#define LOOP(name, statement)                                                                      \
	static void name(const struct row *row, unsigned n)                                        \
	{                                                                                          \
		size_t bytes = opaque(row->bytes);                                                 \
                                                                                                   \
		SAVE_ALL();                                                                        \
		for (unsigned i = 0; i < n; i++)                                                   \
			statement;                                                                 \
	}

LOOP(loop_alloc, objects[i] = no_alloc(bytes, GFP_KERNEL))
LOOP(loop_free, no_free(objects[i]))
LOOP(alloc_const, objects[i] = kmalloc(64, GFP_KERNEL))
LOOP(alloc_var, objects[i] = kmalloc(bytes, GFP_KERNEL))
LOOP(alloc_zeroed, objects[i] = kzalloc(64, GFP_KERNEL))
LOOP(alloc_cache, objects[i] = kmem_cache_alloc(hot_cache, GFP_KERNEL))
LOOP(alloc_node, objects[i] = kmalloc_node(bytes, GFP_KERNEL, far_node))
LOOP(alloc_page, objects[i] = alloc_pages(GFP_KERNEL, 0))
LOOP(alloc_page3, objects[i] = alloc_pages(GFP_KERNEL, 3))
LOOP(free_object, kfree(objects[i]))
LOOP(free_cache, kmem_cache_free(hot_cache, objects[i]))
LOOP(free_page, __free_pages(objects[i], 0))
LOOP(free_page3, __free_pages(objects[i], 3))

/* The goals are those of docs/fastpath.md. */
static const struct row rows[] = {
	{"hot-const-64", 64, 1, IN_ORDER, HERE, alloc_const, free_object, 14, 26, 0, 0},
	{"hot-var-8", 8, 1, IN_ORDER, HERE, alloc_var, free_object, 20, 26, 0, 0},
	{"hot-var-64", 64, 1, IN_ORDER, HERE, alloc_var, free_object, 20, 26, 0, 0},
	{"hot-var-256", 256, 1, IN_ORDER, HERE, alloc_var, free_object, 20, 26, 0, 0},
	{"hot-var-1024", 1024, 1, IN_ORDER, HERE, alloc_var, free_object, 20, 26, 0, 0},
	{"hot-var-4096", 4096, 1, IN_ORDER, HERE, alloc_var, free_object, 20, 26, 0, 0},
	{"hot-cache", 64, 1, IN_ORDER, HERE, alloc_cache, free_cache, 13, 26, 0, 30},
	{"kzalloc-64", 64, 1, IN_ORDER, HERE, alloc_zeroed, free_object, 30, 26, 31, 0},
	{"fifo-64", 64, MANY, IN_ORDER, HERE, alloc_var, free_object, 22, 36, 0, 0},
	{"random-64", 64, MANY, AT_RANDOM, HERE, alloc_var, free_object, 22, 45, 0, 0},
	{"random-256", 256, MANY, AT_RANDOM, HERE, alloc_var, free_object, 30, 60, 0, 0},
	{"random-1024", 1024, MANY, AT_RANDOM, HERE, alloc_var, free_object, 45, 95, 65, 130},
	{"random-4096", 4096, MANY, AT_RANDOM, HERE, alloc_var, free_object, 60, 110, 190, 300},
	{"random-64-10k", 64, MOST, AT_RANDOM, HERE, alloc_var, free_object, 28, 80, 35, 120},
	{"remote-fifo-64", 64, MANY, IN_ORDER, OTHER_CPU, alloc_var, free_object, 25, 38, 0, 0},
	{"remote-random-256", 256, MANY, AT_RANDOM, OTHER_CPU, alloc_var, free_object, 30, 60, 0,
		0},
	{"node-fifo-64", 64, MANY, IN_ORDER, OTHER_NODE, alloc_var, free_object, 30, 45, 0, 0},
	{"kmalloc-node", 64, 1, IN_ORDER, HERE, alloc_node, free_object, 40, 45, 0, 0},
	{"pages-0", 4096, 1, IN_ORDER, HERE, alloc_page, free_page, 25, 25, 0, 0},
	{"pages-3", 32768, 1, IN_ORDER, HERE, alloc_page3, free_page3, 30, 30, 0, 0},
	{"large-16k", 16384, 1, IN_ORDER, HERE, alloc_var, free_object, 45, 45, 0, 0},
	{"large-32k", 32768, 1, IN_ORDER, HERE, alloc_var, free_object, 45, 45, 145, 140},
};

/* ---- one window ---- */

struct timed {
	const struct row *row;
	void (*loop)(const struct row *row, unsigned n);
};

static void run_timed(void *arg)
{
	struct timed *timed = arg;
	uint64_t start = read_tsc();

	timed->loop(timed->row, timed->row->objects);
	ticks_taken = read_tsc() - start;
}

static uint64_t ticks_on(
	unsigned cpu, const struct row *row, void (*loop)(const struct row *row, unsigned n))
{
	struct timed timed = {row, loop};

	if (cpu == port_cpu())
		run_timed(&timed);
	else
		smp_call(cpu, run_timed, &timed);
	return ticks_taken;
}

static void shuffle(unsigned n)
{
	static uint64_t state = 88172645463325252ul;

	for (unsigned i = n - 1; i; i--) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		unsigned j = (unsigned)(state % (i + 1));
		void *object = objects[i];

		objects[i] = objects[j];
		objects[j] = object;
	}
}

static unsigned freeing_cpu(enum where where)
{
	for (unsigned cpu = 1; where != HERE && cpu < smp_nr_cpus(); cpu++)
		if (smp_online(cpu) && (cpu_to_mem(cpu) == cpu_to_mem(0)) == (where == OTHER_CPU))
			return cpu;
	return 0;
}

struct ticks {
	uint64_t alloc, free;
};

static struct ticks one_window(const struct row *row, unsigned cpu)
{
	unsigned rounds = row->objects == 1 ? HOT : 1;
	struct ticks sum = {0};

	for (unsigned i = 0; i < rounds; i++) {
		sum.alloc -= ticks_on(0, row, loop_alloc);
		sum.alloc += ticks_on(0, row, row->alloc);
		if (row->order == AT_RANDOM)
			shuffle(row->objects);
		sum.free += ticks_on(cpu, row, row->free);
		sum.free -= ticks_on(cpu, row, loop_free);
	}
	return sum;
}

static int compare_ticks(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The median in tenths of a tick for each call; `nothing`: what the loop around nothing called. */
static unsigned median(uint64_t *ticks, unsigned calls, unsigned nothing)
{
	heap_sort(ticks, NR_WINDOWS, sizeof(ticks[0]), compare_ticks);
	int64_t middle = (int64_t)ticks[NR_WINDOWS / 2];

	return (unsigned)((middle < 0 ? 0 : (uint64_t)middle) * 10 / calls + nothing * 10);
}

/* ---- what is printed ---- */

static uint64_t bytes_in_sheaves(void)
{
	static struct cache_stats stats;
	uint64_t bytes = 0;

	for (unsigned n = 0; cache_stats_nth(n, &stats); n++)
		bytes += stats.in_sheaves * stats.stride_bytes;
	return bytes;
}

/* Of tenths of an instruction. */
static const char *verdict(uint64_t tenths, uint64_t goal, uint64_t limit)
{
	if (!exact)
		return "";
	if (tenths <= goal * 10)
		return "ok";
	if (tenths <= limit * 10)
		return "short";
	nr_above++;
	return "ABOVE";
}

static void run_row(const struct row *row)
{
	unsigned calls = row->objects == 1 ? HOT : row->objects, cpu = freeing_cpu(row->frees);
	uint64_t alloc[NR_WINDOWS], free[NR_WINDOWS];
	char held[24];

	if (row->frees != HERE && !cpu) {
		console_print("%-18s no such CPU here\n", row->id);
		return;
	}
	for (unsigned i = 0; i < NR_WINDOWS + WARM_UP; i++) {
		struct ticks ticks = one_window(row, cpu);

		alloc[i < NR_WINDOWS ? i : 0] = ticks.alloc;
		free[i < NR_WINDOWS ? i : 0] = ticks.free;
	}
	unsigned a = median(alloc, calls, NO_ALLOC_INSTRUCTIONS),
		 f = median(free, calls, NO_FREE_INSTRUCTIONS);

	console_print("%-18s %7u.%u %5u  %-6s %7u.%u %5u  %-6s %10s\n", row->id, a / 10, a % 10,
		row->alloc_goal, verdict(a, row->alloc_goal, row->alloc_limit), f / 10, f % 10,
		row->free_goal, verdict(f, row->free_goal, row->free_limit),
		console_size(held, bytes_in_sheaves(), false));
	console_print(JSON_PREFIX "{\"id\": \"%s\", \"alloc\": %u.%u, \"free\": %u.%u, "
				  "\"cpus\": %u, \"nodes\": %u}\n",
		row->id, a / 10, a % 10, f / 10, f % 10, smp_nr_online(), numa_nr_nodes());
	dolmen_drain_all();
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
	bool counts = smp_nr_online() == 4 && memory.usable <= (1ul << 30) / PAGE_SIZE &&
		      memory.usable > (1ul << 30) / PAGE_SIZE * 9 / 10;

	console_print("boot, waits for hardware left out: %lu of %lu  %s\n", ticks, LIMIT_BOOT,
		counts ? verdict(ticks * 10, LIMIT_BOOT, 0) : "");
}

bool cmd_bench(unsigned nr_words, char **words)
{
	if (nr_words > 1)
		return console_usage(words[0]);
	hot_cache = kmem_cache_create("bench", 64, 0, 0, NULL);
	if (!hot_cache)
		return false;
	far_node = freeing_cpu(OTHER_NODE) ? (int)cpu_to_mem(freeing_cpu(OTHER_NODE)) : 0;
	nr_above = 0;
	timer_set_rate(0);
	exact = ticks_are_instructions();
	console_print("%s; %u CPUs, %u nodes, %s; for each call, median of %u windows\n",
		exact ? "instructions" : "TSC ticks, no instructions: see run-qemu.sh --icount",
		smp_nr_online(), numa_nr_nodes(), port_has_cas16() ? "lockless" : "page locks",
		NR_WINDOWS);
	console_print("%-18s %9s %5s  %-6s %9s %5s  %-6s %10s\n", "", "alloc", "goal", "", "free",
		"goal", "", "sheaves");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		run_row(&rows[i]);
	print_boot();
	timer_set_rate(TIMER_HZ);
	kmem_cache_destroy(hot_cache);
	if (exact)
		console_print("bench: %u above their limits\n", nr_above);
	return !nr_above;
}
