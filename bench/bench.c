/*
 * The bench: runs the workloads that are meant, see machine.h. docs/bench.md has what they show.
 */
#include <dolmen/init.h>
#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/report.h"
#include "bench/workloads.h"

static void run_all(void)
{
	calls_run();
	held_run();
	fragments_run();
	mix_run();
	tcp_rr_run();
	hackbench_run();
	queues_run();
	spread_run();
	aim7_run();
	machine_workloads();
}

bool bench_run(unsigned nr_words, char **words)
{
	dolmen_drain_all();
	measure_begin();
	report_begin(nr_words, words, false);
	run_all();
	return report_end();
}

void bench_list(void)
{
	report_begin(0, NULL, true);
	run_all();
}
