/*
 * The one place that measures: what calls take, the loop around them left out.
 *
 * A loop goes over an array of objects and one of sizes. The same loop around a function that only
 * returns tells what to take off; what that function takes is added again, so that a figure
 * includes call and return. Each call goes through its public name, across a border that the
 * compiler does not see through.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <dolmen/slab.h>

#define MAX_WINDOWS 31
#define MAX_OBJECTS 100000

typedef void loop_fn(void **objects, const uint32_t *sizes, unsigned nr);

/* Keeps the compiler from knowing the value. */
static inline size_t opaque(size_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

/* All loops save and restore the same registers. */
#define LOOP_HEAD(name)                                                                            \
	static void name(void **objects, const uint32_t *sizes, unsigned nr)                       \
	{                                                                                          \
		(void)sizes;                                                                       \
		__asm__ volatile("" : : : "rbx", "r12", "r13", "r14", "r15");                      \
		for (unsigned i = 0; i < nr; i++)

/* A loop around a statement of objects[i]; the second: and of `bytes`, its size. */
#define LOOP(name, statement)                                                                      \
	LOOP_HEAD(name)                                                                            \
	statement;                                                                                 \
	}
#define SIZED_LOOP(name, statement)                                                                \
	LOOP_HEAD(name)                                                                            \
	{                                                                                          \
		size_t bytes = opaque(sizes[i]);                                                   \
                                                                                                   \
		statement;                                                                         \
	}                                                                                          \
	}

struct work {
	loop_fn *loop;
	void **objects;
	const uint32_t *sizes; /* NULL: the loop is none of SIZED_LOOP */
	unsigned nr;
	unsigned each; /* objects that one turn of the loop serves; 0: one */
};

/* Of one window. */
struct cost {
	int64_t ticks;
	uint64_t calls;
};

/* Of all windows of a row. */
struct costs {
	unsigned nr; /* windows that ended */
	struct cost alloc[MAX_WINDOWS], free[MAX_WINDOWS];
};

/* In tenths of a tick for each call. */
struct figure {
	unsigned median, least, most;
};

/* All that rows have out; whoever runs. And a size for each of MAX_OBJECTS. */
extern void *bench_objects[MAX_OBJECTS];
extern uint32_t bench_sizes[MAX_OBJECTS];

/* Before the first row. */
void measure_begin(void);

/* How many windows a row has; what warms up comes before. */
unsigned measure_windows(void);

/* Runs the loop on a CPU and adds what its calls took, for each object. */
void measure_alloc(struct cost *sum, unsigned cpu, struct work work);
void measure_free(struct cost *sum, unsigned cpu, struct work work);

/* A window ended that is not to warm up. */
void measure_window(struct costs *costs, struct cost alloc, struct cost free);

/* Sorts the windows. */
struct figure measure_figure(struct cost *windows, unsigned nr);

/* Pages in use, of all that are managed. */
uint64_t measure_pages(void);

/* ---- the same numbers in every run ---- */

void random_begin(void);
unsigned random_below(unsigned limit);
void random_shuffle(unsigned nr); /* bench_objects[0 .. nr - 1] */

/* Two objects change places, with their sizes. */
void objects_swap(unsigned a, unsigned b);

/* bench_sizes[0 .. nr - 1]: one size; random ones from 8 to 1000. */
void sizes_equal(unsigned bytes, unsigned nr);
void sizes_mixed(unsigned nr);

#endif
