/* Every page of the machine, one by one at the end. */
#include "mm/page_alloc.h"
#include "test/contract.h"
#include "test/hoard.h"

CONTRACT("memory can be used up to the last page, then NULL, and all of it comes back",
	"alloc_slow returns NULL without draining the page caches")
{
	struct hoard hoard = {0};
	uint64_t before = numa_free_pages(NUMA_NO_NODE);

	if (!hoard_is_cheap()) {
		contract_skip("too much memory to use up");
		return;
	}
	for (unsigned round = 0; round < 2; round++) {
		/* Large blocks leave some in caches on the way back, single pages fill them. */
		for (unsigned order = round ? 0 : DOLMEN_MAX_ORDER + 1; order-- > 0;)
			while (hoard_take(&hoard, NUMA_NO_NODE, GFP_ATOMIC, order))
				;
		while (hoard_take(&hoard, NUMA_NO_NODE, GFP_ATOMIC, 0))
			;
		CHECK(hoard.nr_pages == before, "%lu pages of %lu were given out", hoard.nr_pages,
			before);
		CHECK(!numa_free_pages(NUMA_NO_NODE), "%lu pages are left",
			numa_free_pages(NUMA_NO_NODE));
		for (unsigned order = 0; order <= DOLMEN_MAX_ORDER; order++)
			CHECK(!alloc_pages(GFP_ATOMIC | __GFP_NOWARN, order), "a block of order %u",
				order);
		hoard_release(&hoard);
		CHECK(numa_free_pages(NUMA_NO_NODE) == before, "%lu pages came back, not %lu",
			numa_free_pages(NUMA_NO_NODE), before);
	}
}
