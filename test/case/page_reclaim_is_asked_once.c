/* The hook that is called before an allocation fails. */
#include "mm/page_alloc.h"
#include "test/contract.h"
#include "test/hoard.h"

static struct hoard hoard;
static unsigned nr_calls;
static bool helpful;

static bool give_some(int nid, gfp_t gfp, unsigned order)
{
	(void)nid, (void)gfp, (void)order;
	nr_calls++;
	if (helpful)
		hoard_release(&hoard);
	return helpful;
}

CONTRACT("before a request fails, reclaim is asked once and the request tried again; never for "
	 "GFP_ATOMIC",
	"alloc_slow does not try again after page_reclaim")
{
	bool (*before)(int, gfp_t, unsigned) = page_reclaim;
	struct page *page;

	if (!hoard_is_cheap()) {
		contract_skip("too much memory to use up");
		return;
	}
	hoard_fill(&hoard, NUMA_NO_NODE, GFP_ATOMIC);
	page_reclaim = give_some;
	nr_calls = 0;
	helpful = false;
	CHECK(!alloc_pages(GFP_ATOMIC | __GFP_NOWARN, 0) && !nr_calls, "%u calls for GFP_ATOMIC",
		nr_calls);
	CHECK(!alloc_pages(GFP_KERNEL | __GFP_NOWARN, 0) && nr_calls == 1, "%u calls, not 1",
		nr_calls);
	helpful = true;
	page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, 0);
	CHECK(page && nr_calls == 2, "%u calls, and page %p", nr_calls, (void *)page);
	page_reclaim = before;
	if (page)
		__free_pages(page, 0);
	hoard_release(&hoard);
}
