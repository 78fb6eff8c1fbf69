/*
 * The hosted machine: CPUs that are threads, interrupts that are signals, physical memory that is
 * one mapping. What test programs need besides <dolmen_hosted.h>.
 */
#ifndef HOSTED_H
#define HOSTED_H

#include <dolmen/port.h>
#include <dolmen_hosted.h>

/* ---- tables.c ---- */

struct hosted_table {
	size_t size_bytes;
	unsigned char bytes[65536];
};

void hosted_srat_begin(struct hosted_table *table);
void hosted_srat_memory(
	struct hosted_table *table, uint32_t pxm, uint64_t start_bytes, uint64_t size_bytes);
void hosted_srat_cpu(struct hosted_table *table, uint32_t pxm, uint32_t apic_id);
void hosted_slit(struct hosted_table *table, unsigned nr_domains,
	unsigned (*distance)(unsigned from, unsigned to));

/*
 * Length and checksum, after the last entry, and again after any change to the bytes. Not needed
 * for a SLIT.
 */
void hosted_table_end(struct hosted_table *table);

/* ---- shape.c ---- */

/* What the firmware of a machine of that shape would say: ranges, SRAT, SLIT, APIC ids. */
void hosted_machine(const struct hosted_shape *shape, struct dolmen_init *init);

/* ---- cpus.c ---- */

/* The calling thread becomes CPU 0, with an area of its own until dolmen_init() gives it one. */
void hosted_boot_cpu(void);

/*
 * Runs fn(arg) as an interrupt on `cpu`, a thread that has entered or is about to, wherever it is;
 * returns when it ran.
 */
void hosted_interrupt(unsigned cpu, void (*fn)(void *), void *arg);

/*
 * For a program of one thread that is all CPUs, one after the other, and starts none: from here on
 * it is `cpu`.
 */
void hosted_become_cpu(unsigned cpu);

/*
 * The same: an interrupt that runs fn(arg) when interrupts are turned on for the n-th time from
 * now; 0: none any more.
 */
void hosted_interrupt_later(unsigned nr_restores, void (*fn)(void *), void *arg);

/* Prints to stderr and ends the program with status 2. */
void hosted_die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
