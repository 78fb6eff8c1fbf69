/*
 * Hackbench in shape, -g 128 -f 20: a group has 20 senders and 20 receivers, each sender has a
 * message for each receiver, and a message is a descriptor of 256 bytes and data of 512. Tasks are
 * dealt over the CPUs; four groups are under way at a time, all groups in all rounds together.
 */
#include "bench/machine.h"
#include "bench/report.h"
#include "bench/traffic.h"
#include "bench/workloads.h"

#define GROUPS	 4
#define TASKS	 20		   /* senders, and receivers, of a group */
#define MESSAGE	 2		   /* objects */
#define SENT	 (TASKS * MESSAGE) /* objects of one sender */
#define RECEIVER (GROUPS * TASKS)

static unsigned cpu_of(const struct traffic *traffic, unsigned task)
{
	return task % traffic->nr_cpus;
}

static void send_and_receive(struct traffic *traffic, const struct pattern *pattern, unsigned round)
{
	(void)pattern;
	/* The messages of a sender lie side by side, in the order of the receivers. */
	for (unsigned sender = 0; sender < GROUPS * TASKS; sender++)
		traffic_alloc(traffic, cpu_of(traffic, round + sender),
			bench_objects + sender * SENT, bench_sizes, SENT);
	for (unsigned group = 0; group < GROUPS; group++)
		for (unsigned to = 0; to < TASKS; to++)
			for (unsigned from = 0; from < TASKS; from++)
				traffic_free(traffic,
					cpu_of(traffic, round + RECEIVER + group * TASKS + to),
					bench_objects + (group * TASKS + from) * SENT +
						to * MESSAGE,
					bench_sizes, MESSAGE);
}

void hackbench_run(void)
{
	static const struct pattern pattern = {.id = "hackbench", .round = send_and_receive};

	if (!report_workload("hackbench", "traffic", 16, 4) || !report_wants(pattern.id))
		return;
	for (unsigned i = 0; i < SENT; i++)
		bench_sizes[i] = i % MESSAGE ? 512 : 256;
	traffic_run(&pattern);
}
