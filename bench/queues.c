/*
 * Submit and complete: each of 16 queues allocates its requests on one CPU and frees them on
 * another, of the same node or across.
 */
#include "bench/traffic.h"
#include "bench/workloads.h"

#define QUEUES 16
#define DEPTH  128

/* pattern->number: how many CPUs further requests complete. */
static void submit_and_complete(
	struct traffic *traffic, const struct pattern *pattern, unsigned round)
{
	(void)round;
	for (unsigned queue = 0; queue < QUEUES; queue++)
		traffic_alloc(traffic, queue % traffic->nr_cpus, bench_objects + queue * DEPTH,
			bench_sizes, DEPTH);
	for (unsigned queue = 0; queue < QUEUES; queue++)
		traffic_free(traffic, (queue + pattern->number) % traffic->nr_cpus,
			bench_objects + queue * DEPTH, bench_sizes, DEPTH);
}

void queues_run(void)
{
	static const struct pattern patterns[] = {
		{.id = "queues-near-256", .bytes = 256, .number = 1, .round = submit_and_complete},
		{.id = "queues-far-256", .bytes = 256, .number = 5, .round = submit_and_complete},
		{.id = "queues-far-64", .bytes = 64, .number = 5, .round = submit_and_complete},
		{.id = "queues-far-1024", .bytes = 1024, .number = 5, .round = submit_and_complete},
	};

	traffic_rows("queues", patterns, sizeof(patterns) / sizeof(patterns[0]));
}
