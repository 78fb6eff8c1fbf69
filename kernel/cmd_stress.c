/*
 * The command stress: every CPU allocates, fills, passes on, checks and frees objects of mixed
 * sizes, its own and those of the others, while timer interrupts on every CPU do the same.
 *
 * An operation is one allocation or one free. Objects travel through a table of mailboxes,
 * exchanged by one atomic swap: whoever gets an object is its only owner. The first 8 bytes of an
 * object hold its size and a mark made of address and size, all further words follow from the mark;
 * so an object handed out twice, or written by another's owner, is seen by whoever checks it. The
 * run fails on any such object, when the free pages are not back to the exact number at the end,
 * and, in a long run on two CPUs and more, when the rare paths that it is for were not taken.
 *
 * The second half of the run is with dolmen_exact(true): without sheaves in front, CPUs meet in
 * slabs far more often. The sizes are mostly two: many CPUs then work on the same slabs. Nothing
 * here takes a lock, and an interrupt works on a table of its own CPU that nothing else touches.
 */
#include "kernel/console.h"

#include <dolmen/init.h>
#include <dolmen/limits.h>
#include <dolmen/slab.h>
#include "arch/x86_64/io.h"
#include "arch/x86_64/timer.h"
#include "kernel/smp.h"
#include "lib/string.h"
#include "mm/page_alloc.h"
#include "mm/slab.h"
#include "mm/stats.h"
#include "test/contract.h"

#define DEFAULT_OPERATIONS 3000000
#define MAX_OPERATIONS	   1000000000
#define LONG_RUN	   500000 /* operations a CPU, in which even the rarest path is taken */
#define OWN_OBJECTS	   192	  /* a CPU holds on to, at most */
#define IRQ_OBJECTS	   8
#define NR_MAILBOXES	   512
#define STRESS_HZ	   1000
#define PROGRESS_SECONDS   5

struct worker {
	uint64_t random;
	uint64_t nr_allocs, nr_frees, nr_failed, nr_irq_allocs, nr_irq_frees;
	uint64_t nr_foreign; /* freed, and allocated by another CPU */
	uint32_t nr_bad;
	uint64_t irq_random;
	void *own[OWN_OBJECTS];
	void *irq_own[IRQ_OBJECTS];
} __attribute__((aligned(DOLMEN_CACHE_LINE)));

static struct worker *workers[DOLMEN_MAX_CPUS];
static void *mailboxes[NR_MAILBOXES];
static uint64_t nr_operations;

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static size_t pick_size(uint64_t random)
{
	unsigned kind = random & 15;

	if (kind < 7)
		return 64;
	if (kind < 12)
		return 256;
	if (kind < 15)
		return 8 + (random >> 8) % 1016;
	return 1024 + (random >> 8) % 7168;
}

/* The top bits are the mark, the low 16 the size; the CPU that allocated stands between. */
static uint64_t mark_of(const void *object, size_t size_bytes, unsigned cpu)
{
	uint64_t mark = ((uintptr_t)object ^ size_bytes) * 0x9e3779b97f4a7c15ul;

	return (mark & ~0x1fffffful) | (uint64_t)cpu << 16 | size_bytes;
}

static void fill(void *object, size_t size_bytes)
{
	uint64_t *words = object, mark = mark_of(object, size_bytes, port_cpu());

	for (size_t i = 0; i < size_bytes / 8; i++)
		words[i] = mark + i;
}

/* True if the object is as fill() left it. */
static bool check(struct worker *worker, const void *object)
{
	const uint64_t *words = object;
	uint64_t mark = port_load(&words[0]);
	size_t size_bytes = mark & 0xffff;
	unsigned cpu = mark >> 16 & 0x1ff;
	size_t i = 0;

	if (mark == mark_of(object, size_bytes, cpu) && size_bytes)
		for (i = 1; i < size_bytes / 8 && words[i] == mark + i; i++)
			;
	if (i && i >= size_bytes / 8) {
		port_count(&worker->nr_foreign, cpu != port_cpu());
		return true;
	}
	if (port_fetch_add(&worker->nr_bad, 1u) < 4)
		console_print("stress: CPU %u: object %p of %zu bytes changed at word %zu\n",
			port_cpu(), object, size_bytes, i);
	return false;
}

/* Frees what it is given, NULL too. An object that is not as it should be is left alone. */
static bool check_and_free(struct worker *worker, void *object)
{
	if (!object || !check(worker, object))
		return false;
	/* Nobody may find the mark of a dead object. */
	memset(object, 0x5a, 8);
	kfree(object);
	return true;
}

static void *allocate(uint64_t random)
{
	size_t size_bytes = pick_size(random);
	void *object = kmalloc(size_bytes, GFP_ATOMIC | __GFP_NOWARN);

	if (object)
		fill(object, size_bytes & ~7ul ? size_bytes & ~7ul : 8);
	return object;
}

/* In every timer interrupt, wherever it lands. */
static void in_interrupt(void)
{
	struct worker *worker = port_load(&workers[port_cpu()]);

	if (!worker)
		return;
	for (unsigned i = 0; i < 4; i++) {
		uint64_t random = next_random(&worker->irq_random);
		void **slot = &worker->irq_own[random % IRQ_OBJECTS];
		void *old = *slot;

		*slot = allocate(random >> 8);
		worker->nr_irq_allocs += *slot != NULL;
		if (random >> 63)
			old = port_swap(&mailboxes[(random >> 16) % NR_MAILBOXES], old);
		worker->nr_irq_frees += check_and_free(worker, old);
	}
}

static void one_operation(struct worker *worker)
{
	uint64_t random = next_random(&worker->random);
	void **slot = &worker->own[(random >> 16) % OWN_OBJECTS];
	void *object = *slot;

	if (!object) {
		*slot = allocate(random >> 32);
		worker->nr_allocs += *slot != NULL;
		worker->nr_failed += *slot == NULL;
		return;
	}
	/* Three in four go to another CPU, through the mailbox; what lay there is freed here. */
	*slot = NULL;
	if (random & 3)
		object = port_swap(&mailboxes[(random >> 8) % NR_MAILBOXES], object);
	worker->nr_frees += check_and_free(worker, object);
}

static void work(void *arg)
{
	struct worker *worker = workers[port_cpu()];
	uint64_t hz = timer_tsc_hz(), next_line = read_tsc() + PROGRESS_SECONDS * hz;

	(void)arg;
	for (uint64_t i = 0; i < nr_operations / 2; i++) {
		one_operation(worker);
		if (port_cpu() == 0 && (i & 1023) == 0 && read_tsc() > next_line) {
			console_print(
				"stress: CPU 0 at %lu of %lu operations\n", i, nr_operations / 2);
			next_line = read_tsc() + PROGRESS_SECONDS * hz;
		}
	}
}

/* On each CPU in turn, with the hook off and all others idle: frees what is left. */
static void empty_worker(struct worker *worker)
{
	for (unsigned i = 0; i < OWN_OBJECTS; i++)
		worker->nr_frees += check_and_free(worker, port_swap(&worker->own[i], NULL));
	for (unsigned i = 0; i < IRQ_OBJECTS; i++)
		worker->nr_irq_frees +=
			check_and_free(worker, port_swap(&worker->irq_own[i], NULL));
}

static bool make_workers(unsigned nr_cpus, uint64_t seed)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct worker *worker = kzalloc(sizeof(*worker), GFP_KERNEL);

		if (!worker)
			return false;
		worker->random = (seed * DOLMEN_MAX_CPUS + cpu + 1) * 0x2545f4914f6cdd1dul | 1;
		worker->irq_random = ~worker->random;
		port_store_release(&workers[cpu], worker);
	}
	return true;
}

static void free_workers(unsigned nr_cpus)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		kfree(port_swap(&workers[cpu], NULL));
}

/* One counter that a long run on several CPUs must have moved, against its value before. */
static bool moved(const char *what, enum slab_stat stat, const uint64_t *before)
{
	uint64_t count = slab_stat_total(stat) - before[stat];
	bool expected = test_nr_cpus() > 1 && nr_operations >= LONG_RUN;

	console_print("stress: %10lu %s%s\n", count, what,
		count || !expected ? "" : "  <- none: the run shows too little");
	return count || !expected;
}

static bool report(unsigned nr_cpus, const uint64_t *before, uint64_t lost_pages)
{
	struct worker sum = {0};

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		sum.nr_allocs += workers[cpu]->nr_allocs;
		sum.nr_frees += workers[cpu]->nr_frees;
		sum.nr_irq_allocs += workers[cpu]->nr_irq_allocs;
		sum.nr_irq_frees += workers[cpu]->nr_irq_frees;
		sum.nr_failed += workers[cpu]->nr_failed;
		sum.nr_foreign += workers[cpu]->nr_foreign;
		sum.nr_bad += workers[cpu]->nr_bad;
	}
	console_print("stress: %10lu allocated, %lu freed, %lu times no memory\n", sum.nr_allocs,
		sum.nr_frees, sum.nr_failed);
	console_print("stress: %10lu allocated, %lu freed in timer interrupts\n", sum.nr_irq_allocs,
		sum.nr_irq_frees);
	console_print(
		"stress: %10lu of all freed by another CPU than allocated them\n", sum.nr_foreign);
	bool all = moved("compare-exchanges that failed", CMPXCHG_DOUBLE_FAIL, before);
	all &= moved("frees into frozen slabs", FREE_FROZEN, before);
	all &= moved("full slabs frozen by a free", CPU_PARTIAL_FREE, before);
	all &= moved("moves of half a CPU's slabs to their nodes", CPU_PARTIAL_DRAIN, before);
	all &= moved("slabs moved from a node to a CPU", ALLOC_FROM_PARTIAL, before);
	all &= moved("empty slabs given back", FREE_SLAB, before);
	if (!sum.nr_irq_allocs)
		console_print("stress: no timer interrupt allocated anything\n");
	if (lost_pages)
		console_print("stress: %ld free pages fewer than before\n", (long)lost_pages);
	if (sum.nr_allocs + sum.nr_irq_allocs != sum.nr_frees + sum.nr_irq_frees)
		console_print("stress: not everything that was allocated was freed\n");
	return all && sum.nr_irq_allocs && !lost_pages && !sum.nr_bad &&
	       sum.nr_allocs + sum.nr_irq_allocs == sum.nr_frees + sum.nr_irq_frees;
}

static uint64_t free_pages_now(void)
{
	dolmen_drain_all();
	return numa_free_pages(NUMA_NO_NODE);
}

static void nothing(void *arg)
{
	(void)arg;
}

/* Everything that the run allocated is free again when this returns. */
static void run(unsigned nr_cpus)
{
	port_store(&timer_hook, in_interrupt);
	timer_set_rate(STRESS_HZ);
	test_run_on_all(work, NULL);
	timer_set_rate(TIMER_HZ);
	port_store(&timer_hook, NULL);
	/* A handler that had loaded the hook is over once its CPU has taken another interrupt. */
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		smp_interrupt(cpu, nothing, NULL);
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		empty_worker(workers[cpu]);
	for (unsigned i = 0; i < NR_MAILBOXES; i++)
		workers[0]->nr_frees += check_and_free(workers[0], port_swap(&mailboxes[i], NULL));
}

bool cmd_stress(unsigned nr_words, char **words)
{
	uint64_t seed = 1, before[NR_KEPT_STATS];
	unsigned nr_cpus = test_nr_cpus();

	nr_operations = DEFAULT_OPERATIONS;
	if (nr_words > 3)
		return console_usage(words[0]);
	if (nr_words > 1 && !console_number(words[1], MAX_OPERATIONS, &nr_operations))
		return false;
	if (nr_words > 2 && !console_number(words[2], UINT64_MAX, &seed))
		return false;
	if (!nr_operations)
		return console_usage(words[0]);
	console_print("stress: %u CPUs, %lu operations each, half of them exact, seed %lu, "
		      "%u interrupts a second\n",
		nr_cpus, nr_operations, seed, STRESS_HZ);
	bool good = make_workers(nr_cpus, seed);
	if (good) {
		uint64_t nr_free = free_pages_now();

		for (unsigned stat = 0; stat < NR_KEPT_STATS; stat++)
			before[stat] = slab_stat_total(stat);
		run(nr_cpus);
		bool were_exact = dolmen_exact(true);
		run(nr_cpus);
		dolmen_exact(were_exact);
		good = report(nr_cpus, before, nr_free - free_pages_now());
	} else {
		console_print("stress: no memory for the workers\n");
	}
	free_workers(nr_cpus);
	console_print("stress: %s\n", good ? "passed" : "FAILED");
	return good;
}
