/*
 * Sizes from 8 to 1000 bytes mixed: of many objects that are out, some at random are freed and
 * others of random sizes come in their places.
 */
#include "bench/report.h"
#include "bench/traffic.h"
#include "bench/workloads.h"

#define OUT	1000
#define BATCHES 32
#define BATCH	32

static bool filled; /* bench_objects are out */

static void replace(struct traffic *traffic, const struct pattern *pattern, unsigned round)
{
	(void)pattern, (void)round;
	if (!filled) {
		filled = true;
		sizes_mixed(OUT);
		traffic_alloc(traffic, 0, bench_objects, bench_sizes, OUT);
	}
	for (unsigned batch = 0; batch < BATCHES; batch++) {
		/* Those that change places move to the front. */
		for (unsigned i = 0; i < BATCH; i++)
			objects_swap(i, i + random_below(OUT - i));
		traffic_free(traffic, 0, bench_objects, bench_sizes, BATCH);
		sizes_mixed(BATCH);
		traffic_alloc(traffic, 0, bench_objects, bench_sizes, BATCH);
	}
}

static void end(struct traffic *traffic, const struct pattern *pattern)
{
	(void)pattern;
	traffic_free(traffic, 0, bench_objects, bench_sizes, OUT);
	filled = false;
}

void mix_run(void)
{
	static const struct pattern mix = {
		.id = "mix-8-1000", .single = true, .round = replace, .end = end};

	if (report_workload("mix", "single", 1, 1) && report_wants(mix.id))
		traffic_run(&mix);
}
