/*
 * What interrupt handlers and the start of a CPU need of kernel/smp.c.
 */
#ifndef ARCH_SMP_H
#define ARCH_SMP_H

#include <stdbool.h>

/* VECTOR_CALL: runs what is in this CPU's interrupt slot. */
void smp_call_interrupt(void);

/* smp_stop_others() was called: an NMI means halt. */
bool smp_stop_requested(void);
void smp_halt(void) __attribute__((noreturn));

#endif
