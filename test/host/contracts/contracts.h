/*
 * The contracts as a Linux program: the machine that they run on, and its CPUs.
 */
#ifndef TEST_HOST_CONTRACTS_H
#define TEST_HOST_CONTRACTS_H

#include "arch/hosted/hosted.h"

/* ---- firmware.c ---- */

/* Names of files; NULL: none. Either a map or an SRAT must be there. */
struct machine_files {
	const char *map; /* NAME.e820.csv or NAME.efi.csv, see test/fixture/README.md */
	const char *srat, *slit, *madt;
};

/*
 * The machine of these files, cut down to about shape->size_bytes and at most shape->nr_cpus CPUs,
 * which is set to how many there are. Says in one line what is left.
 */
void described_machine(
	const struct machine_files *files, struct hosted_shape *shape, struct dolmen_init *init);

/* ---- work.c ---- */

/* Starts CPUs 1..nr_cpus-1, which wait for work. */
void start_workers(unsigned nr_cpus);

#endif
