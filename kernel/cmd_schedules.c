/*
 * The command schedules: many short runs of all CPUs on tiny caches, each from a seed of its own.
 *
 * In a build with DOLMEN_PAUSES=1 under -icount the seed decides where each CPU pauses, and so the
 * interleaving: a failure comes back with the same first seed and count. In other builds
 * the runs are as random as the machine is.
 *
 * A run has three caches: few large objects, many small ones outside the window, and one object a
 * slab, with limits drawn from the seed. Objects go from hand to hand through mailboxes and carry a
 * mark of their owner. Afterwards every object must come back, every cache end, every page be free.
 */
#include "kernel/console.h"

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include <dolmen/slab.h>
#include "mm/check.h"
#include "mm/page_alloc.h"
#include "mm/slab.h"
#include "test/contract.h"

#ifdef DOLMEN_PAUSES
uint64_t port_pause_state;
#endif

#define NR_CACHES     3
#define NR_MAILBOXES  12
#define OPERATIONS    60  /* of each CPU in a run */
#define SMALL_OBJECTS 250 /* taken at the start of a run: nearly a slab of 16-byte objects */
#define PROGRESS_RUNS 50
#define DEFAULT_RUNS  200

static struct kmem_cache *caches[NR_CACHES];
static const size_t sizes[NR_CACHES] = {1024, 16, 4096 * 3};
static void *mailboxes[NR_CACHES][NR_MAILBOXES];
static uint64_t randoms[DOLMEN_MAX_CPUS];
static uint32_t nr_bad;

static uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void pauses_from(uint64_t seed)
{
#ifdef DOLMEN_PAUSES
	port_pause_state = seed;
#else
	(void)seed;
#endif
}

static uint64_t mark(const void *object)
{
	return (uintptr_t)object * 0x9e3779b97f4a7c15ul;
}

/* What this CPU has swapped out of a mailbox is its own; an object handed out twice has no mark. */
static void give_back(unsigned which, void *object)
{
	uint64_t *word = object;

	if (!word)
		return;
	if (port_swap(word, 0ul) != mark(object))
		port_fetch_add(&nr_bad, 1u);
	kmem_cache_free(caches[which], object);
}

static void one_operation(uint64_t random)
{
	unsigned which = random % 8 < 4 ? 0 : random % 8 < 7 ? 1 : 2;
	void **box = &mailboxes[which][(random >> 8) % NR_MAILBOXES];
	void *object = NULL;

	if (random >> 32 & 1) {
		int nid = random >> 33 & 3 ? NUMA_NO_NODE : (int)((random >> 40) % numa_nr_nodes());

		object = kmem_cache_alloc_node(caches[which], GFP_KERNEL | __GFP_NOWARN, nid);
		if (object && port_swap((uint64_t *)object, mark(object)) == mark(object))
			port_fetch_add(&nr_bad, 1u); /* in somebody's hands already */
	}
	give_back(which, port_swap(box, object));
	if ((random >> 48) % 64 == 0)
		kmem_cache_shrink(caches[which]);
}

static void work(void *arg)
{
	uint64_t *random = &randoms[port_cpu()];

	(void)arg;
	for (unsigned i = 0; i < OPERATIONS; i++)
		one_operation(draw(random));
}

static bool make_caches(uint64_t *random)
{
	for (unsigned i = 0; i < NR_CACHES; i++) {
		caches[i] = kmem_cache_create("schedule", sizes[i], 0, 0, NULL);
		if (!caches[i])
			return false;
		cache_set_knob(caches[i], KNOB_CPU_SLABS, 1 + draw(random) % 3);
		cache_set_knob(caches[i], KNOB_MIN_PARTIAL, draw(random) % 3);
		cache_set_knob(caches[i], KNOB_REMOTE_RATIO, draw(random) % 2 * 100);
	}
	return true;
}

/* One run; false if an object, a slab or a page is not where it should be afterwards. */
static bool run_seed(uint64_t seed)
{
	static void *held[SMALL_OBJECTS];
	uint64_t random = (seed + 1) * 0x2545f4914f6cdd1dul | 1;
	uint64_t reports = check_reports(), nr_free;
	bool good = true;

	dolmen_drain_all();
	nr_free = numa_free_pages(NUMA_NO_NODE);
	if (!make_caches(&random))
		return false;
	for (unsigned i = 0; i < SMALL_OBJECTS; i++)
		held[i] = kmem_cache_alloc(caches[1], GFP_KERNEL);
	for (unsigned cpu = 0; cpu < DOLMEN_MAX_CPUS; cpu++)
		randoms[cpu] = draw(&random) + cpu * 2 + 1;
	nr_bad = 0;
	pauses_from(draw(&random));
	test_run_on_all(work, NULL);
	pauses_from(0);
	for (unsigned i = 0; i < SMALL_OBJECTS; i++)
		kmem_cache_free(caches[1], held[i]);
	for (unsigned which = 0; which < NR_CACHES; which++) {
		for (unsigned i = 0; i < NR_MAILBOXES; i++)
			give_back(which, port_swap(&mailboxes[which][i], NULL));
		good &= kmem_cache_destroy(caches[which]);
	}
	dolmen_drain_all();
	return good && !nr_bad && check_reports() == reports &&
	       numa_free_pages(NUMA_NO_NODE) == nr_free;
}

bool cmd_schedules(unsigned nr_words, char **words)
{
	uint64_t first = 1, nr_runs = DEFAULT_RUNS;

	if (nr_words > 3)
		return console_usage(words[0]);
	if (nr_words > 1 && !console_number(words[1], UINT64_MAX, &first))
		return false;
	if (nr_words > 2 && !console_number(words[2], 1000000, &nr_runs))
		return false;
	if (!nr_runs)
		return console_usage(words[0]);
	for (uint64_t i = 0; i < nr_runs; i++) {
		if (!run_seed(first + i)) {
			console_print(
				"schedules: seed %lu FAILED, %u marks wrong; replay: schedules "
				"%lu %lu\n",
				first + i, nr_bad, first, i + 1);
			return false;
		}
		if (i % PROGRESS_RUNS == PROGRESS_RUNS - 1)
			console_print("schedules: %lu of %lu\n", i + 1, nr_runs);
	}
	console_print("schedules: %lu seeds from %lu on, %u CPUs: passed\n", nr_runs, first,
		test_nr_cpus());
	return true;
}
