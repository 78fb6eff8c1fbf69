/*
 * The command bench on the bare machine.
 *
 * Under `run-qemu.sh --icount` the TSC counts the guest's instructions, one each, and every run
 * gives the same figures. That holds only while one CPU runs at a time: all others sit in hlt, and
 * the periodic timers are off. Elsewhere the TSC's ticks are shown, with no verdict.
 */
#include "arch/x86_64/io.h"
#include "arch/x86_64/timer.h"
#include "bench/machine.h"
#include "bench/report.h"
#include "kernel/console.h"
#include "kernel/smp.h"
#include "lib/string.h"

#include <dolmen/init.h>
#include <dolmen/page.h>

#define LIMIT_BOOT	60000000ul /* from the kernel's entry to the first command: 1 GiB, 4 CPUs */
#define ICOUNT_TSC_PAIR 3 /* ticks between two reads of the TSC, when ticks are instructions */

struct timed {
	void (*fn)(void *arg);
	void *arg;
	uint64_t ticks;
};

static bool exact; /* ticks are instructions */

static void run_timed(void *arg)
{
	struct timed *timed = arg;
	uint64_t start = read_tsc();

	timed->fn(timed->arg);
	timed->ticks = read_tsc() - start;
}

uint64_t machine_ticks_on(unsigned cpu, void (*fn)(void *), void *arg)
{
	struct timed timed = {fn, arg, 0};

	smp_call(cpu, run_timed, &timed);
	return timed.ticks;
}

bool machine_counts_instructions(void)
{
	return exact;
}

const char *machine_build(void)
{
	return NULL;
}

void machine_workloads(void)
{
}

bool machine_is_slow(void)
{
	return false;
}

bool machine_online(unsigned cpu)
{
	return smp_online(cpu);
}

unsigned machine_nr_online(void)
{
	return smp_nr_online();
}

void machine_print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	console_vprint(format, args);
	va_end(args);
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

/* False: the kernel's start takes more than it may. */
static bool print_boot(void)
{
	struct dolmen_memory memory;
	uint64_t ticks = console_boot_ticks();

	dolmen_memory(&memory);
	/* Firmware keeps some of the 1 GiB. */
	bool counts = exact && smp_nr_online() == 4 && memory.usable <= (1ul << 30) / PAGE_SIZE &&
		      memory.usable > (1ul << 30) / PAGE_SIZE * 9 / 10;
	bool above = counts && ticks > LIMIT_BOOT;

	console_print("boot, waits for hardware left out: %lu of %lu  %s\n", ticks, LIMIT_BOOT,
		!counts ? ""
		: above ? "ABOVE"
			: "ok");
	return !above;
}

bool cmd_bench(unsigned nr_words, char **words)
{
	if (nr_words == 2 && !strcmp(words[1], "list")) {
		bench_list();
		return true;
	}
	timer_set_rate(0);
	exact = ticks_are_instructions();
	bool good = nr_words > 1 || print_boot();

	good &= bench_run(nr_words - 1, words + 1);
	timer_set_rate(TIMER_HZ);
	return good;
}
