/*
 * Checks a port inside the kernel that it is for: every contract of the library, and a storm of
 * interrupts. `make port-check PORT=FOLDER` gives one object, the library among it, to be linked in
 * place of the library into a kernel that defines the first six functions and calls port_check().
 */
#ifndef PORT_CHECK_H
#define PORT_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- defined by the kernel ---- */

/* Text, lines with their ends, to where somebody reads it. Any CPU, any context. */
void port_check_write(const char *text, size_t length);

/* CPUs that dolmen_cpu_online() was called on, 0 to one less than that; at least 1. */
unsigned port_check_nr_cpus(void);

/*
 * Starts fn(arg) on `cpu`, which is another one than CPU 0, interrupts on; waits until what was
 * started there last has returned.
 */
void port_check_start_on(unsigned cpu, void (*fn)(void *), void *arg);
void port_check_wait_for(unsigned cpu);

/*
 * fn(arg) in an interrupt on `cpu`, this one or another, between any two instructions of what runs
 * there; returns when fn did. Called with interrupts on, from several CPUs at once.
 */
void port_check_interrupt(unsigned cpu, void (*fn)(void *), void *arg);

/*
 * From now on fn() is called in interrupts on this CPU, again and again, best from a timer at
 * intervals that differ; NULL: no more.
 */
void port_check_storm(void (*fn)(void));

/* ---- in the object ---- */

/*
 * On CPU 0, all others idle, interrupts on: every CPU frees what others allocated while interrupts
 * on all of them do the same; then the contracts, in TAP. True if nothing failed, and then the last
 * line is "dolmen: commands done, all succeeded". Some seconds, and on an emulator a minute.
 */
bool port_check(void);

/*
 * What the kernel's port_log() calls with each line instead of printing it: it is printed, but for
 * the reports of the mistakes that contracts make, which are theirs to read.
 */
void port_check_log(const char *line);

/* For checks of the kernel's own, before port_check(): "ok N - what" or "not ok N - what". */
void port_check_expect(bool holds, const char *what);

/* fn(arg) on all CPUs at once, called on CPU 0. */
void port_check_run_on_all(void (*fn)(void *), void *arg);

#ifdef __cplusplus
}
#endif

#endif
