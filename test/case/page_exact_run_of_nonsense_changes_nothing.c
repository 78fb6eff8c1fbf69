#include <dolmen/init.h>

#include "mm/page_alloc.h"
#include "test/contract.h"

CONTRACT("an exact run is NULL when memory is short, and a free of NULL, of no bytes or from "
	 "inside a page "
	 "frees nothing",
	"page_of takes an address inside a page for its start")
{
	char *run = alloc_pages_exact(3 * PAGE_SIZE, GFP_KERNEL);
	uint64_t before = numa_free_pages(NUMA_NO_NODE);

	dolmen_fail_pages(0, UINT64_MAX);
	CHECK(!alloc_pages_exact(3 * PAGE_SIZE, GFP_KERNEL | __GFP_NOWARN), "a run out of nothing");
	CHECK(!__get_free_pages(GFP_KERNEL | __GFP_NOWARN, 2), "pages out of nothing");
	dolmen_fail_pages(0, 0);

	test_log_clear();
	free_pages_exact(NULL, PAGE_SIZE);
	free_pages_exact(run, 0);
	free_pages_exact(run, (PAGE_SIZE << DOLMEN_MAX_ORDER) + 1);
	CHECK(!test_log_has("wrong free"), "nothing was freed, and reported");
	free_pages_exact(run + 16, 3 * PAGE_SIZE);
	CHECK(test_log_has("no page starts there"), "not reported");
	CHECK(numa_free_pages(NUMA_NO_NODE) == before, "%lu pages are free, not %lu",
		numa_free_pages(NUMA_NO_NODE), before);
	free_pages_exact(run, 3 * PAGE_SIZE);
}
