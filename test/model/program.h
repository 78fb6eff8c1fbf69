/*
 * Programs: what CPUs and interrupts do at once, on a machine prepared for it.
 */
#ifndef TEST_MODEL_PROGRAM_H
#define TEST_MODEL_PROGRAM_H

#include "test/model/world.h"

enum op_kind {
	OP_ALLOC,	  /* cache, slot, gfp */
	OP_ALLOC_NODE,	  /* cache, slot, gfp, arg: node */
	OP_ALLOC_BULK,	  /* cache, slot, gfp, arg: so many, as far as there are slots */
	OP_SHEAF_OF_OWN,  /* cache, slot, gfp, arg: the same out of a sheaf that is refilled once */
	OP_FREE,	  /* slot */
	OP_FREE_BULK,	  /* slot, arg: so many, of whatever caches */
	OP_FREE_STALE,	  /* slot: what was in it last, whoever has it now */
	OP_JUDGE,	  /* slot: its object is out, and must be said to be */
	OP_SHRINK,	  /* cache */
	OP_DRAIN_CPU,	  /* cache, arg: CPU; its slabs */
	OP_DRAIN_SHEAVES, /* cache, arg: CPU */
	OP_DRAIN_BARN,	  /* cache, arg: node */
	OP_DRAIN_ALL,
	OP_DRAIN_PAGES, /* the page caches */
	OP_TICK,	/* a tick that sweeps */
	OP_CPU_SLABS,	/* cache, arg: the limit */
	OP_MIN_PARTIAL, /* cache, arg: the limit */
	OP_SHEAF,	/* cache, arg: the limit; 0: it is exact from now on */
	OP_PAGE_ALLOC,	/* slot, arg: order */
	OP_CREATE,	/* a cache, at most one at a time */
	OP_DESTROY,
	OP_STATS, /* cache */
	OP_FILL,  /* cache, arg: so many objects, kept to the end ... */
	OP_SPILL, /* ... or until so many of them are given back */
	NR_OPS
};

struct op {
	uint8_t kind, cache, slot, arg;
	uint8_t gfp;
};

#define PROGRAM_THREADS 6
#define PROGRAM_OPS	8
#define PROGRAM_SETUP	16
#define PROGRAM_SLOTS	12
#define PROGRAM_PAGES	3 /* blocks of an order in a page cache: two make a batch */
#define PROGRAM_BULK	6 /* objects of one call */

struct program_thread {
	uint8_t cpu, is_interrupt, nr_ops;
	struct op ops[PROGRAM_OPS];
};

#define POOL_AMPLE    255 /* as many pages as there are */
#define FAIL_FOR_EVER 255 /* every page allocation after the first `fail_skip` */

struct program {
	const char *name; /* NULL: a random one */
	uint8_t nr_nodes; /* of a named one */
	uint8_t exact;	  /* limits hold in the end though they were changed */
	uint8_t migrates; /* threads change CPUs; run by random walk alone */
	uint8_t nr_threads, nr_setup;
	uint8_t pool[WORLD_NODES_MAX]; /* pages left free on a node */
	uint8_t page_caches;	       /* per-CPU page caches hold up to PROGRAM_PAGES */
	uint8_t fail_skip, fail_count; /* of page allocations */
	uint8_t generation_bits;
	uint8_t cpu_slabs, min_partial, remote_ratio; /* of all caches */
	uint8_t sheaf, barn;			      /* the same; 0: exact */
	uint8_t grows;				      /* sheaves begin with one object */
	uint8_t wrong_frees;			      /* so many are part of it, and reported */
	uint8_t destroys;			      /* the caches of the world at the end */
	struct program_thread thread[PROGRAM_THREADS];
	uint8_t setup_cpu[PROGRAM_SETUP];
	struct op setup[PROGRAM_SETUP];
};

/* A random program; the same for the same seed. */
void program_make(struct program *program, uint64_t seed);

/* One line for each thread, for people. */
void program_print(const struct program *program);

/*
 * One schedule of it, and all checks. False: a violation, see model_failure. Memory is as before.
 */
bool program_run(const struct program *program, const struct model_plan *plan);

/* Calls that returned NULL, over all runs; page allocations that failed in the last run. */
extern uint64_t program_nr_null, program_failures;

/* How often each slow path was taken, over all runs. */
extern uint64_t program_stats[NR_KEPT_STATS], program_nr_trades;

#define HOARD_MAX 80 /* objects of OP_FILL */

#endif
