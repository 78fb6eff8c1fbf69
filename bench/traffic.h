/*
 * Objects that go from CPU to CPU. A pattern runs three times over the same sequence of calls:
 * counted; counted with all of it on CPU 0, which gives what a call costs without other CPUs; and
 * watched, call by call.
 *
 * A call counts as fast when it touched no slab and no list: sheaves hold just one object less, or
 * more, behind it. A trade in a barn is fast, and is shown for each object. CPUs take turns, so
 * what is counted is the work that sharing makes, not the waiting of CPUs for one line of memory.
 */
#ifndef BENCH_TRAFFIC_H
#define BENCH_TRAFFIC_H

#include "bench/measure.h"

#define TRAFFIC_BULK 64

enum traffic_pass { COUNTED, ALONE, WATCHED };

struct traffic {
	enum traffic_pass pass;
	unsigned nr_cpus;			     /* online ones, by which patterns go */
	struct cost alloc, free;		     /* of this window */
	uint64_t allocs, frees;			     /* of all windows */
	uint64_t fast_allocs, fast_frees, elsewhere; /* watched; elsewhere: of another node */
	uint64_t trades;
	bool bulk;
	uint64_t pages_before, pages_most; /* in use, in the watched pass */
};

struct pattern {
	const char *id;
	unsigned bytes;	    /* what the pattern makes of it */
	unsigned number;    /* of flows, tasks */
	unsigned fast_goal; /* tenths of a per cent of each kind of call; 0: none */
	bool bulk;	    /* TRAFFIC_BULK objects of one size in a call */
	bool single;	    /* one CPU anyhow: nothing to compare with */
	void (*round)(struct traffic *traffic, const struct pattern *pattern, unsigned round);
	void (*end)(struct traffic *traffic, const struct pattern *pattern); /* frees what is out */
};

/* For rounds: `nr` calls on a CPU, sizes beside objects. */
void traffic_alloc(
	struct traffic *traffic, unsigned cpu, void **objects, const uint32_t *sizes, unsigned nr);
void traffic_free(
	struct traffic *traffic, unsigned cpu, void **objects, const uint32_t *sizes, unsigned nr);

/* Runs a pattern and reports it. Per-call costs may be 1.5 times those of CPU 0 alone. */
void traffic_run(const struct pattern *pattern);

/* A workload of traffic whose rows are patterns, on all objects of one size if they have one. */
void traffic_rows(const char *workload, const struct pattern *patterns, unsigned nr);

#endif
