/*
 * What the checks of a port ask of a kernel, by the small kernel's means.
 */
#include "test/embed/small/small.h"
#include "test/port_check.h"

void port_check_write(const char *text, size_t length)
{
	small_write(text, length);
}

unsigned port_check_nr_cpus(void)
{
	return small_nr_cpus;
}

void port_check_start_on(unsigned cpu, void (*fn)(void *), void *arg)
{
	small_start_work(cpu, fn, arg);
}

void port_check_wait_for(unsigned cpu)
{
	small_wait_work(cpu);
}

void port_check_interrupt(unsigned cpu, void (*fn)(void *), void *arg)
{
	small_interrupt(cpu, fn, arg);
}

void port_check_storm(void (*fn)(void))
{
	small_timer(fn);
}
