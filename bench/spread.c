/*
 * One CPU allocates what all free; all allocate what one CPU frees; and all allocate at once what
 * each frees itself, in bursts, as a system call for a large mapping does.
 */
#include "bench/traffic.h"
#include "bench/workloads.h"

#define EACH  64
#define BURST 256

static void one_for_all(struct traffic *traffic, const struct pattern *pattern, unsigned round)
{
	(void)pattern, (void)round;
	traffic_alloc(traffic, 0, bench_objects, bench_sizes, EACH * traffic->nr_cpus);
	for (unsigned cpu = 0; cpu < traffic->nr_cpus; cpu++)
		traffic_free(traffic, cpu, bench_objects + cpu * EACH, bench_sizes, EACH);
}

static void all_for_one(struct traffic *traffic, const struct pattern *pattern, unsigned round)
{
	(void)pattern, (void)round;
	for (unsigned cpu = 0; cpu < traffic->nr_cpus; cpu++)
		traffic_alloc(traffic, cpu, bench_objects + cpu * EACH, bench_sizes, EACH);
	traffic_free(traffic, 0, bench_objects, bench_sizes, EACH * traffic->nr_cpus);
}

static void bursts(struct traffic *traffic, const struct pattern *pattern, unsigned round)
{
	(void)pattern, (void)round;
	for (unsigned cpu = 0; cpu < traffic->nr_cpus; cpu++)
		traffic_alloc(traffic, cpu, bench_objects + cpu * BURST, bench_sizes, BURST);
	for (unsigned cpu = 0; cpu < traffic->nr_cpus; cpu++)
		traffic_free(traffic, cpu, bench_objects + cpu * BURST, bench_sizes, BURST);
}

void spread_run(void)
{
	static const struct pattern patterns[] = {
		{.id = "one-for-all-256", .bytes = 256, .round = one_for_all},
		{.id = "all-for-one-256", .bytes = 256, .round = all_for_one},
		{.id = "bursts-192", .bytes = 192, .round = bursts},
		{.id = "bursts-bulk-192", .bytes = 192, .bulk = true, .round = bursts},
	};

	traffic_rows("spread", patterns, sizeof(patterns) / sizeof(patterns[0]));
}
