/*
 * The command test, and what a contract may ask of the guest: test/contract.h on kernel/smp.h, the
 * runner's output on the serial line.
 */
#include "kernel/console.h"

#include "arch/x86_64/serial.h"
#include "kernel/smp.h"
#include "test/contract.h"
#include "test/runner.h"

#define DEFAULT_SEED 1

void runner_write(const char *text, size_t length)
{
	serial_write(text, length);
}

unsigned test_nr_cpus(void)
{
	unsigned cpu = 0;

	/* CPUs that did not start take no work: contracts use those before the first such one. */
	while (cpu < smp_nr_cpus() && smp_online(cpu))
		cpu++;
	return cpu;
}

void test_start_on(unsigned cpu, void (*fn)(void *), void *arg)
{
	smp_start(cpu, fn, arg);
}

void test_wait_for(unsigned cpu)
{
	smp_wait(cpu);
}

void test_interrupt(unsigned cpu, void (*fn)(void *), void *arg)
{
	smp_interrupt(cpu, fn, arg);
}

bool cmd_test(unsigned nr_words, char **words)
{
	uint64_t seed = DEFAULT_SEED;

	if (nr_words > 3)
		return console_usage(words[0]);
	if (nr_words == 3 && !console_number(words[2], UINT64_MAX, &seed))
		return false;
	return runner_run(nr_words > 1 ? words[1] : NULL, seed) == 0;
}
