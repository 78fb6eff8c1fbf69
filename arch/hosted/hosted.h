/*
 * The hosted machine: CPUs that are threads, interrupts that are signals, physical memory that is
 * one mapping.
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

/* ---- memory.c: they end the program if the host refuses ---- */

/*
 * Reserves address space for the physical addresses below `reserved_bytes`, and makes the usable
 * ranges accessible.
 */
void hosted_map(const struct mem_range *map, unsigned nr_map, uint64_t reserved_bytes);

/* Maps a machine of that shape and says what its firmware would: ranges, SRAT, SLIT, APIC ids. */
void hosted_machine(const struct hosted_shape *shape, struct dolmen_init *init);

/* ---- firmware.c ---- */

/* Names of files; NULL: none. Either a map or an SRAT must be there. */
struct hosted_files {
	const char *map; /* NAME.e820.csv or NAME.efi.csv, see test/fixture/README.md */
	const char *srat, *slit, *madt;
};

/*
 * The machine of these files, cut down to about shape->size_bytes and at most shape->nr_cpus CPUs,
 * which is set to how many there are. Says in one line what is left.
 */
void hosted_firmware(
	const struct hosted_files *files, struct hosted_shape *shape, struct dolmen_init *init);

/* ---- cpus.c ---- */

/* The calling thread becomes CPU 0, with an area of its own until dolmen_init() gives it one. */
void hosted_boot_cpu(void);

/* Starts CPUs 1..nr_cpus-1, after dolmen_init(). They wait for work. */
void hosted_start_cpus(unsigned nr_cpus);

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
