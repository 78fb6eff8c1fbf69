/* The pages below MARK_MIN. */
#include <dolmen/numa.h>
#include "mm/buddy.h"
#include "mm/page_alloc.h"
#include "test/contract.h"
#include "test/hoard.h"

CONTRACT("when GFP_KERNEL fails, every zone still has its reserve, and GFP_ATOMIC gets all of it",
	"try_rounds gives every request the last round")
{
	struct hoard kernel = {0}, atomic = {0};
	uint64_t reserve = 0, left;

	if (!hoard_is_cheap()) {
		contract_skip("too much memory to use up");
		return;
	}
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
		for (unsigned id = 0; node_zones[nid] && id < NR_ZONES; id++)
			reserve += port_load(&node_zones[nid][id].zn_marks[MARK_MIN]);
	hoard_fill(&kernel, NUMA_NO_NODE, GFP_KERNEL);
	left = numa_free_pages(NUMA_NO_NODE);
	CHECK(left == reserve, "%lu pages are left, not %lu", left, reserve);
	hoard_fill(&atomic, NUMA_NO_NODE, GFP_ATOMIC);
	CHECK(atomic.nr_pages == left, "GFP_ATOMIC got %lu pages of %lu", atomic.nr_pages, left);
	hoard_release(&atomic);
	hoard_release(&kernel);
}
