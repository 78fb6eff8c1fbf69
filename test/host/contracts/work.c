/*
 * What contracts ask of the place they run in: work on CPUs, and interrupts.
 *
 * A CPU's thread waits for work: a function and an argument, posted under its mutex. An interrupt
 * may land in the middle of that wait too.
 */
#include "test/host/contracts/contracts.h"

#include <pthread.h>

#include "test/contract.h"

typedef void work_fn(void *arg);

static struct worker {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	work_fn *work; /* NULL: none, and what was posted is done; under mutex */
	void *arg;
} workers[DOLMEN_MAX_CPUS];

static unsigned nr_online = 1;

static void *worker_main(void *arg)
{
	struct worker *worker = arg;

	hosted_enter((unsigned)(worker - workers));
	pthread_mutex_lock(&worker->mutex);
	for (;;) {
		while (!worker->work)
			pthread_cond_wait(&worker->changed, &worker->mutex);
		pthread_mutex_unlock(&worker->mutex);
		worker->work(worker->arg);
		pthread_mutex_lock(&worker->mutex);
		worker->work = NULL;
		pthread_cond_broadcast(&worker->changed);
	}
	return NULL;
}

void start_workers(unsigned nr_cpus)
{
	pthread_t thread;

	for (unsigned cpu = 1; cpu < nr_cpus; cpu++) {
		pthread_mutex_init(&workers[cpu].mutex, NULL);
		pthread_cond_init(&workers[cpu].changed, NULL);
		if (pthread_create(&thread, NULL, worker_main, &workers[cpu]))
			hosted_die("cannot start the thread of CPU %u", cpu);
	}
	nr_online = nr_cpus;
}

unsigned test_nr_cpus(void)
{
	return nr_online;
}

void test_wait_for(unsigned cpu)
{
	pthread_mutex_lock(&workers[cpu].mutex);
	while (workers[cpu].work)
		pthread_cond_wait(&workers[cpu].changed, &workers[cpu].mutex);
	pthread_mutex_unlock(&workers[cpu].mutex);
}

void test_start_on(unsigned cpu, void (*fn)(void *), void *arg)
{
	test_wait_for(cpu);
	pthread_mutex_lock(&workers[cpu].mutex);
	workers[cpu].arg = arg;
	workers[cpu].work = fn;
	pthread_cond_broadcast(&workers[cpu].changed);
	pthread_mutex_unlock(&workers[cpu].mutex);
}

void test_interrupt(unsigned cpu, void (*fn)(void *), void *arg)
{
	hosted_interrupt(cpu, fn, arg);
}
