/*
 * Netperf TCP_RR in shape: each flow has one request or reply on its way. CPU 0 takes the
 * interrupts: it allocates requests in batches and frees what was sent, while the flow's worker, on
 * any of the other CPUs, frees the request and allocates the reply. So no object is freed where it
 * was allocated, and most cross nodes.
 */
#include "bench/machine.h"
#include "bench/report.h"
#include "bench/traffic.h"
#include "bench/workloads.h"
#include "lib/printf.h"

#define MOST_FLOWS 160
#define FLOW_STEP  16
#define POLL	   64 /* packets that one interrupt takes */

static void **const requests = bench_objects, **const replies = bench_objects + MOST_FLOWS;

static void poll(struct traffic *traffic, unsigned first, unsigned nr)
{
	traffic_alloc(traffic, 0, requests + first, bench_sizes, nr);
	for (unsigned flow = first; flow < first + nr; flow++) {
		unsigned worker = 1 + flow % (traffic->nr_cpus - 1);

		traffic_free(traffic, worker, requests + flow, bench_sizes, 1);
		traffic_alloc(traffic, worker, replies + flow, bench_sizes, 1);
	}
	traffic_free(traffic, 0, replies + first, bench_sizes, nr);
}

/* So many transactions that rows of few flows and of many are as long. */
static void transact(struct traffic *traffic, const struct pattern *pattern, unsigned round)
{
	(void)round;
	for (unsigned done = 0; done < MOST_FLOWS; done += pattern->number)
		for (unsigned first = 0; first < pattern->number; first += POLL) {
			unsigned left = pattern->number - first;

			poll(traffic, first, left < POLL ? left : POLL);
		}
}

static void run_flows(unsigned bytes, unsigned flows)
{
	char id[32];
	struct pattern pattern = {.id = id,
		.bytes = bytes,
		.number = flows,
		.fast_goal = bytes < 4096 ? 990 : 970,
		.round = transact};

	format_text(id, sizeof(id), "tcp-rr-%u-%u", bytes, flows);
	if (!report_wants(id))
		return;
	sizes_equal(bytes, POLL);
	traffic_run(&pattern);
}

void tcp_rr_run(void)
{
	if (!report_workload("tcp_rr", "traffic", 16, 4))
		return;
	for (unsigned bytes = 256; bytes <= 4096; bytes *= 4)
		for (unsigned flows = FLOW_STEP; flows <= MOST_FLOWS; flows += FLOW_STEP)
			run_flows(bytes, flows);
}
