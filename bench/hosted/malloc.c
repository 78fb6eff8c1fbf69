/*
 * The malloc() of the process, whichever that is: the C library's, or one that LD_PRELOAD put in
 * its place. Rows to stand beside those of kmalloc() in the same program.
 */
#include <stdlib.h>

#include "bench/machine.h"
#include "bench/report.h"

#define WARM_UP 2
#define HOT	10
#define MANY	1000

SIZED_LOOP(alloc_loop, objects[i] = malloc(bytes))
LOOP(free_loop, free(objects[i]))

static const struct {
	const char *id;
	unsigned bytes;
	unsigned objects; /* out at a time; 1: hot */
} rows[] = {
	{"malloc-hot-64", 64, 1},
	{"malloc-hot-1024", 1024, 1},
	{"malloc-hot-8192", 8192, 1},
	{"malloc-many-64", 64, MANY},
	{"malloc-many-4096", 4096, MANY},
};

static void run_row(size_t n)
{
	static struct costs costs;
	unsigned nr = rows[n].objects, rounds = nr == 1 ? HOT : 1;

	costs.nr = 0;
	sizes_equal(rows[n].bytes, nr);
	for (unsigned window = 0; window < measure_windows() + WARM_UP; window++) {
		struct cost alloc = {0}, free = {0};

		for (unsigned i = 0; i < rounds; i++) {
			measure_alloc(&alloc, 0,
				(struct work){alloc_loop, bench_objects, bench_sizes, nr, 1});
			measure_free(
				&free, 0, (struct work){free_loop, bench_objects, NULL, nr, 1});
		}
		if (window >= WARM_UP)
			measure_window(&costs, alloc, free);
	}
	report_costs(rows[n].id, &costs, (struct goal){0}, (struct goal){0}, NULL, NULL);
}

void machine_workloads(void)
{
	if (!report_workload("malloc", "peer", 1, 1))
		return;
	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
		if (report_wants(rows[n].id))
			run_row(n);
}
