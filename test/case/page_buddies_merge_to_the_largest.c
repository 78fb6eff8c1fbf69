/* Fragments all blocks, then counts the largest ones. */
#include "mm/page_alloc.h"
#include "test/contract.h"
#include "test/hoard.h"

static uint64_t count_largest(void)
{
	struct hoard hoard = {0};
	uint64_t count;

	page_alloc_drain();
	while (hoard_take(&hoard, NUMA_NO_NODE, GFP_ATOMIC, DOLMEN_MAX_ORDER))
		;
	count = hoard.nr_pages >> DOLMEN_MAX_ORDER;
	hoard_release(&hoard);
	return count;
}

CONTRACT("when all is free again, the buddies have merged to as many of the largest blocks as "
	 "before",
	"buddy_give stops one order short")
{
	struct hoard hoard = {0};
	uint64_t before, after;

	if (!hoard_is_cheap()) {
		contract_skip("too much memory to use up");
		return;
	}
	before = count_largest();
	for (unsigned order = 0; order < 4; order++)
		for (unsigned i = 0;
			i < 4096 && hoard_take(&hoard, NUMA_NO_NODE, GFP_ATOMIC, order); i++)
			;
	hoard_release(&hoard);
	after = count_largest();
	CHECK(before && before == after, "%lu blocks of order %u before, %lu after", before,
		DOLMEN_MAX_ORDER, after);
}
