/* free_pages_exact() with another size. */
#include "mm/page_alloc.h"
#include "test/contract.h"

CONTRACT("an exact run freed with a larger size is reported and stays whole",
	"free_pages_exact frees the parts it has checked before it checks the next")
{
	unsigned char *run = alloc_pages_exact(5 * PAGE_SIZE, GFP_KERNEL);
	uint64_t before = numa_free_pages(NUMA_NO_NODE);

	CHECK(run, "no run of 5 pages");
	if (!run)
		return;
	free_pages_exact(run, 6 * PAGE_SIZE);
	CHECK(test_log_has("wrong free"), "no report");
	CHECK(numa_free_pages(NUMA_NO_NODE) == before, "%lu pages are free, not %lu",
		numa_free_pages(NUMA_NO_NODE), before);
	free_pages_exact(run, 5 * PAGE_SIZE);
}
