/*
 * Tasks that each hold some objects of mixed sizes, in the manner of AIM7: in turn a task frees
 * some of what it holds and allocates as much anew; of every eight objects one is freed by another
 * task, as files and messages are, and now and then a task moves to another CPU.
 */
#include "bench/traffic.h"
#include "bench/workloads.h"

#define MOST_TASKS 300
#define HELD	   16 /* objects of a task */
#define CHANGED	   8  /* of these, in a round */
#define MOVES	   32 /* a task changes its CPU once in so many rounds */

static uint8_t cpu_of[MOST_TASKS];
static bool started;

static const uint16_t usual_sizes[] = {32, 64, 96, 128, 192, 256, 512, 640, 1024, 2048, 4096, 64};

static unsigned some_size(void)
{
	return usual_sizes[random_below(sizeof(usual_sizes) / sizeof(usual_sizes[0]))];
}

static void allocate(struct traffic *traffic, unsigned task, unsigned nr)
{
	void **objects = bench_objects + task * HELD;
	uint32_t *sizes = bench_sizes + task * HELD;

	for (unsigned i = 0; i < nr; i++)
		sizes[i] = some_size();
	traffic_alloc(traffic, cpu_of[task], objects, sizes, nr);
}

static void work(struct traffic *traffic, const struct pattern *pattern, unsigned round)
{
	(void)round;
	for (unsigned task = 0; task < pattern->number && !started; task++) {
		cpu_of[task] = (uint8_t)(task % traffic->nr_cpus);
		allocate(traffic, task, HELD);
	}
	started = true;
	for (unsigned task = 0; task < pattern->number; task++) {
		if (!random_below(MOVES))
			cpu_of[task] = (uint8_t)random_below(traffic->nr_cpus);
		objects_swap(task * HELD, random_below(pattern->number) * HELD); /* passed on */
		traffic_free(traffic, cpu_of[task], bench_objects + task * HELD,
			bench_sizes + task * HELD, CHANGED);
		allocate(traffic, task, CHANGED);
	}
}

static void end(struct traffic *traffic, const struct pattern *pattern)
{
	for (unsigned task = 0; task < pattern->number; task++)
		traffic_free(traffic, cpu_of[task], bench_objects + task * HELD,
			bench_sizes + task * HELD, HELD);
	started = false;
}

void aim7_run(void)
{
	static const struct pattern patterns[] = {
		{.id = "aim7-1", .number = 1, .round = work, .end = end},
		{.id = "aim7-100", .number = 100, .round = work, .end = end},
		{.id = "aim7-200", .number = 200, .round = work, .end = end},
		{.id = "aim7-300", .number = 300, .round = work, .end = end},
	};

	traffic_rows("aim7", patterns, sizeof(patterns) / sizeof(patterns[0]));
}
