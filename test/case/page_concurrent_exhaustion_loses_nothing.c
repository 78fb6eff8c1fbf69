/*
 * All CPUs use up what is left of memory and give it back, so that drains of all page caches meet
 * allocations.
 */
#include "mm/page_alloc.h"
#include "test/contract.h"
#include "test/hoard.h"

#define NR_LEFT	  2048
#define NR_ROUNDS 1000 /* of all CPUs together */

static void work(void *arg)
{
	struct hoard hoard = {0};

	(void)arg;
	for (unsigned round = 0; round < NR_ROUNDS / test_nr_cpus() + 1; round++) {
		for (unsigned order = 3; order-- > 0;)
			while (hoard_take(&hoard, NUMA_NO_NODE, GFP_ATOMIC, order))
				;
		hoard_release(&hoard);
	}
}

CONTRACT("when all CPUs run out of memory together, each page is found again",
	"drain_cpu empties a stack without a fence")
{
	struct hoard most = {0};
	uint64_t before = numa_free_pages(NUMA_NO_NODE);

	if (!hoard_is_cheap()) {
		contract_skip("too much memory to use up");
		return;
	}
	while (numa_free_pages(NUMA_NO_NODE) > NR_LEFT + (1ul << DOLMEN_MAX_ORDER) &&
		hoard_take(&most, NUMA_NO_NODE, GFP_ATOMIC, DOLMEN_MAX_ORDER))
		;
	test_run_on_all(work, NULL);
	hoard_release(&most);
	CHECK(numa_free_pages(NUMA_NO_NODE) == before, "%lu pages are free, not %lu",
		numa_free_pages(NUMA_NO_NODE), before);
}
