/*
 * Time: the TSC's rate, measured waits, and the periodic interrupt of each CPU's local APIC.
 */
#ifndef ARCH_TIMER_H
#define ARCH_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The periodic interrupt of each CPU, unless timer_set_rate() says otherwise; and the bound for all
 * CPUs together, to which the rate of each is lowered: 255 CPUs get 25 a second. An emulator would
 * do little else.
 */
#define TIMER_HZ       100
#define TIMER_TOTAL_HZ 6400

/*
 * Measures the TSC and the local APIC's timer against the PIT, else the ACPI timer at
 * `pm_timer_port` (0: none), else takes CPUID's word. Boot CPU, interrupts off. False: no clock to
 * measure by, and no periodic interrupts.
 */
bool timer_calibrate(uint16_t pm_timer_port, unsigned nr_cpus);

const char *timer_reference(void); /* what it was measured by */
uint64_t timer_tsc_hz(void);	   /* 0: unknown */

/* Busy; counted in timer_waited(). */
void timer_delay_us(unsigned us);

/* TSC ticks that the boot CPU spent waiting for hardware since the start. */
uint64_t timer_waited(void);

/* This CPU's periodic interrupt, on or off. */
void timer_start(void);
void timer_stop(void);

/* The rate of each CPU's interrupt, at most `hz`. */
unsigned timer_rate(unsigned hz);

/* On all CPUs, by IPI; hz 0 stops them: a quiet machine, for exact counts. Interrupts on. */
void timer_set_rate(unsigned hz);

/* Interrupts taken on a CPU. */
uint64_t timer_ticks(unsigned cpu);

/*
 * Called in every periodic interrupt on each CPU, interrupts off; NULL: none. Set by port_store().
 */
extern void (*timer_hook)(void);

/* Set once memory is up: from then on each CPU also calls dolmen_tick() ten times a second. */
extern bool timer_feeds_mm;

/* The vector's handler. */
void timer_interrupt(void);

#endif
