/*
 * The workloads, one file each, in the order in which they run.
 */
#ifndef BENCH_WORKLOADS_H
#define BENCH_WORKLOADS_H

void calls_run(void);	  /* table A: one kind of call, hot or many objects out and back */
void held_run(void);	  /* what objects that are out cost in memory */
void fragments_run(void); /* most of them freed at random, then other sizes */
void mix_run(void);	  /* sizes mixed, one replaced after the other */
void tcp_rr_run(void);	  /* netperf TCP_RR: an interrupt CPU and workers */
void hackbench_run(void); /* groups of senders and receivers */
void queues_run(void);	  /* submitted on one CPU, completed on another */
void spread_run(void);	  /* one CPU for all, all CPUs for one */
void aim7_run(void);	  /* tasks that hold, pass on and free */

#endif
