/* Sections that are initialised when their zone runs low. */
#include <dolmen/numa.h>
#include "mm/buddy.h"
#include "mm/page_alloc.h"
#include "test/contract.h"
#include "test/hoard.h"

static uint64_t late_pages(void)
{
	uint64_t nr_pages = 0;

	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
		for (unsigned id = 0; node_zones[nid] && id < NR_ZONES; id++)
			nr_pages += port_load(&node_zones[nid][id].zn_late);
	return nr_pages;
}

CONTRACT("a section is initialised when its zone runs low, and no count changes by that",
	"add_late_section does not take the section off zn_late")
{
	struct hoard hoard = {0};
	uint64_t before = numa_free_pages(NUMA_NO_NODE), late = late_pages(), now = late;
	const unsigned order = DOLMEN_MAX_ORDER;

	if (!late) {
		contract_skip("every section is initialised by now");
		return;
	}
	while (now == late && hoard_take(&hoard, NUMA_NO_NODE, GFP_KERNEL, order)) {
		now = late_pages();
		CHECK(numa_free_pages(NUMA_NO_NODE) + hoard.nr_pages == before,
			"%lu free and %lu taken of %lu", numa_free_pages(NUMA_NO_NODE),
			hoard.nr_pages, before);
	}
	CHECK(now < late, "nothing was initialised, but %lu pages were given out", hoard.nr_pages);
	hoard_release(&hoard);
}
