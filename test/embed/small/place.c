/*
 * What contracts ask of the place they run in, and the storm, by the small kernel's means.
 */
#include "test/contract.h"
#include "test/embed/check.h"
#include "test/embed/multiboot2/glue.h"
#include "test/embed/small/small.h"
#include "test/runner.h"

void runner_write(const char *text, size_t length)
{
	small_write(text, length);
}

unsigned test_nr_cpus(void)
{
	return glue_nr_cpus;
}

void test_start_on(unsigned cpu, void (*fn)(void *), void *arg)
{
	small_start_work(cpu, fn, arg);
}

void test_wait_for(unsigned cpu)
{
	small_wait_work(cpu);
}

void test_interrupt(unsigned cpu, void (*fn)(void *), void *arg)
{
	small_interrupt(cpu, fn, arg);
}

void host_storm(void (*fn)(void))
{
	small_timer(fn);
}
