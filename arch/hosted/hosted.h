/*
 * The hosted machine: CPUs that are threads, interrupts that are signals, physical memory that is one mapping.
 */
#ifndef HOSTED_H
#define HOSTED_H

#include <dolmen/init.h>
#include <dolmen/port.h>

struct hosted_shape {
	unsigned nr_cpus;
	unsigned nr_nodes;   /* with memory; CPUs are dealt over them in blocks */
	bool memoryless;     /* one more node, with the last CPU and without memory */
	bool cpuless;	     /* the last of nr_nodes has no CPU */
	uint64_t size_bytes; /* of all memory */
};

/* ---- memory.c ---- */

/* Maps memory of that shape and says what firmware would: ranges, SRAT, SLIT, APIC ids. Ends the program if it cannot. */
void hosted_memory(const struct hosted_shape *shape, struct dolmen_init *init);

/* ---- cpus.c ---- */

/* The calling thread becomes CPU 0, with an area of its own until dolmen_init() gives it one. */
void hosted_boot_cpu(void);

/* Starts CPUs 1..nr_cpus-1, after dolmen_init(). They wait for work. */
void hosted_start_cpus(unsigned nr_cpus);

/* For a program of one thread that is all CPUs, one after the other, and starts none: from here on it is `cpu`. */
void hosted_become_cpu(unsigned cpu);

/* The same: an interrupt that runs fn(arg) when interrupts are turned on for the n-th time from now; 0: none any more. */
void hosted_interrupt_later(unsigned nr_restores, void (*fn)(void *), void *arg);

/* Prints to stderr and ends the program with status 2. */
void hosted_die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
