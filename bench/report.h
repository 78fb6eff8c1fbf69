/*
 * The one place that prints: a line for each row, its goal and a verdict beside it, a line of JSON,
 * and whether what is kept free stays within its bound.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench/measure.h"

#define NO_LIMIT 0xffffffffu

/* In tenths of an instruction for each call. What is above the goal is `short`, above the limit it
 * fails. */
struct goal {
	unsigned goal; /* 0: none */
	unsigned limit;
};

/* Which rows are meant: bench_run()'s words. `list`: none runs, their ids are printed. */
void report_begin(unsigned nr_words, char **words, bool list);

/*
 * A workload and what it needs. False: the machine is too small; what then is meant by name gets a
 * line that says so.
 */
bool report_workload(const char *name, const char *kind, unsigned nr_cpus, unsigned nr_nodes);

/* Whether to run the row. */
bool report_wants(const char *id);

/*
 * Ends a row; drains all caches. `note`: a further line for people, `json`: further members, each
 * after a comma; NULL: none.
 */
void report_costs(const char *id, struct costs *costs, struct goal alloc, struct goal free,
	const char *note, const char *json);

/* Ends a row of memory: bytes held for each 1000 asked for. As above. */
void report_memory(
	const char *id, unsigned permille, unsigned goal, const char *note, const char *json);

/* The word for a figure; counts what is above its limit. */
const char *report_verdict(uint64_t value, struct goal goal);

/* The last line; what bench_run() returns. */
bool report_end(void);

#endif
