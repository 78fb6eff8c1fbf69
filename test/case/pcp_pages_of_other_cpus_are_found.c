/* Pages in the cache of a CPU that does nothing, when memory runs out. */
#include <dolmen/numa.h>
#include "mm/page_alloc.h"
#include "mm/pcp.h"
#include "test/contract.h"
#include "test/hoard.h"

static void fill_cache(void *arg)
{
	struct hoard hoard = {0};

	(void)arg;
	for (unsigned i = 0; i < 64; i++)
		hoard_take(&hoard, NUMA_NO_NODE, GFP_KERNEL, 0);
	hoard_release(&hoard);
}

CONTRACT("pages in an idle CPU's cache are found before an allocation fails",
	"alloc_slow drains the calling CPU's page cache alone")
{
	struct hoard hoard = {0};
	unsigned other = test_nr_cpus() - 1;

	if (!other || !hoard_is_cheap()) {
		contract_skip(other ? "too much memory to use up" : "one CPU");
		return;
	}
	test_run_on(other, fill_cache, NULL);
	if (!pcp_pages(cpu_to_mem(other))) {
		contract_skip("too little memory for page caches");
		return;
	}
	hoard_fill(&hoard, NUMA_NO_NODE, GFP_ATOMIC);
	CHECK(!numa_free_pages(NUMA_NO_NODE), "%lu pages were not found",
		numa_free_pages(NUMA_NO_NODE));
	hoard_release(&hoard);
}
