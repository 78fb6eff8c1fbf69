/*
 * What the bench asks of where it runs: bench/guest.c on the bare machine, bench/hosted/machine.c
 * in a Linux program. CPUs take turns: while one works, all others wait, so that a count of
 * instructions is that CPU's alone.
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* Runs fn(arg) on an online CPU; returns the ticks that it took there. */
uint64_t machine_ticks_on(unsigned cpu, void (*fn)(void *), void *arg);

/* Whether a tick is an instruction, the same in every run. */
bool machine_counts_instructions(void);

/* What the build is called; NULL: by its modes. */
const char *machine_build(void);

/* Each count costs so much that a few windows have to do. */
bool machine_is_slow(void);

bool machine_online(unsigned cpu);
unsigned machine_nr_online(void);

void machine_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Workloads of this machine alone. */
void machine_workloads(void);

/* ---- the other way round ---- */

/*
 * Runs the rows whose id, workload or kind holds one of the words; without words, all that this
 * machine is large enough for. False, with a line that says so, if a row is above its limit, no row
 * is meant, or what is kept free passes its bound.
 */
bool bench_run(unsigned nr_words, char **words);

/* Prints the workloads with the ids of their rows. */
void bench_list(void);

#endif
