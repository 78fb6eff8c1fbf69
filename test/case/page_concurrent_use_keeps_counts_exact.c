/*
 * All CPUs allocate, hand blocks to each other through shared slots, and free what they find there.
 */
#include "mm/page_alloc.h"
#include "test/contract.h"

#define NR_SLOTS  64
#define NR_ROUNDS 2000000 /* of all CPUs together */

/* A block's address with its order in the low bits; any CPU, by swap. */
static uintptr_t slots[NR_SLOTS];
static unsigned nr_working;

static void release(uintptr_t entry)
{
	uintptr_t *block = (uintptr_t *)(entry & ~(PAGE_SIZE - 1));

	if (!entry)
		return;
	CHECK(*block == entry, "a block of order %lu has lost its stamp", entry & (PAGE_SIZE - 1));
	*block = 0;
	free_pages(block, entry & (PAGE_SIZE - 1));
}

static void work(void *arg)
{
	uint64_t random = test_random() | 1;

	(void)arg;
	for (unsigned round = 0; round < NR_ROUNDS / test_nr_cpus(); round++) {
		random = random * 6364136223846793005ul + 1442695040888963407ul;
		unsigned order = (random >> 40) % 8 ? (random >> 50) % 4 : (random >> 50) % 7;
		uintptr_t *block = __get_free_pages(GFP_KERNEL | __GFP_NOWARN, order);

		if (block)
			*block = (uintptr_t)block | order;
		release(port_swap(&slots[(random >> 33) % NR_SLOTS], block ? *block : 0));
	}
	port_fetch_add(&nr_working, -1u);
}

/* CPU 1 empties the page caches of the others while they use them. */
static void work_or_drain(void *arg)
{
	if (port_cpu() != 1)
		work(arg);
	else
		while (port_load(&nr_working))
			page_alloc_drain();
}

CONTRACT("all CPUs allocate and free each other's blocks, and no page is lost or given out twice",
	"drain_cpu leaves the slot to the stack that it empties")
{
	uint64_t before = numa_free_pages(NUMA_NO_NODE);

	port_store(&nr_working, test_nr_cpus() > 1 ? test_nr_cpus() - 1 : 1);
	test_run_on_all(work_or_drain, NULL);
	for (unsigned i = 0; i < NR_SLOTS; i++)
		release(port_swap(&slots[i], (uintptr_t)0));
	CHECK(numa_free_pages(NUMA_NO_NODE) == before, "%lu pages are free, not %lu",
		numa_free_pages(NUMA_NO_NODE), before);
}
