/*
 * The other CPUs: starting them, running work on them, interrupting them, stopping them.
 *
 * A CPU waits in hlt for work; each has one slot for a piece of work (run outside interrupt
 * context, interrupts on) and one for a function to run in its interrupt handler. A CPU that did
 * not start takes nothing: calls for it return at once. The boot CPU, 0, has no work loop: only it
 * can give itself work, which is then a plain call.
 */
#ifndef KERNEL_SMP_H
#define KERNEL_SMP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Stops whatever the other CPUs do since the firmware: they wait for smp_start_all(). After
 * apic_init().
 */
void smp_park_others(void);

/*
 * Starts CPUs 1..nr_cpus-1, all at once; apic_ids[cpu] as given to dolmen_init(). One line for each
 * that does not come; the trampoline is copied to `trampoline_phys`, a page below 1 MiB (0: none).
 * On the boot CPU, after dolmen_init().
 */
void smp_start_all(const uint32_t *apic_ids, unsigned nr_cpus, uint64_t trampoline_phys);

/* Dense ids are 0..smp_nr_cpus()-1; nearly always all are online. */
unsigned smp_nr_cpus(void);
bool smp_online(unsigned cpu);
unsigned smp_nr_online(void);

/* The APIC id of a CPU. */
uint32_t smp_apic_id(unsigned cpu);

/* Runs fn(arg) on `cpu`, waits until it returned. Interrupts on. */
void smp_call(unsigned cpu, void (*fn)(void *), void *arg);

/*
 * Starts fn(arg) on `cpu` once what was started there before is done. On CPU itself: runs it at
 * once.
 */
void smp_start(unsigned cpu, void (*fn)(void *), void *arg);

/* Returns when `cpu` has done what was started there. The writes of that work are visible then. */
void smp_wait(unsigned cpu);

/*
 * Runs fn(arg) in an interrupt handler on `cpu`, the calling one too, and returns when it ran.
 * Interrupts on.
 */
void smp_interrupt(unsigned cpu, void (*fn)(void *), void *arg);

/*
 * For the end: every other CPU halts by NMI, for good. Any context. Only the first caller returns;
 * others halt.
 */
void smp_stop_others(void);

#endif
