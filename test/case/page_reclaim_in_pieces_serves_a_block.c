/*
 * What reclaim gives back goes through this CPU's page cache, which may keep a page of every block.
 */
#include <dolmen/numa.h>
#include "mm/page_alloc.h"
#include "test/contract.h"
#include "test/hoard.h"

#define PAGES  (1u << DOLMEN_MAX_ORDER)
#define STRIDE 8 /* what is freed last lies all over */

static struct page *pages[PAGES];

static bool give_pieces(int nid, gfp_t gfp, unsigned order)
{
	(void)nid, (void)gfp, (void)order;
	for (unsigned first = 0; first < STRIDE; first++)
		for (unsigned i = first; i < PAGES; i += STRIDE) {
			if (pages[i])
				__free_pages(pages[i], 0);
			pages[i] = NULL;
		}
	return true;
}

CONTRACT("single pages that reclaim gives back serve a request for the block that they make up",
	"alloc_slow does not empty page caches after page_reclaim")
{
	bool (*before)(int, gfp_t, unsigned) = page_reclaim;
	struct hoard hoard = {0};
	struct page *block, *half;

	block = alloc_pages(GFP_KERNEL | __GFP_NOWARN, DOLMEN_MAX_ORDER);
	if (!block || page_alloc_managed(cpu_to_mem(0)) > (512ul << 20) >> PAGE_SHIFT) {
		contract_skip(
			"too little memory, or so much that the reserve is more than half a block");
		if (block)
			__free_pages(block, DOLMEN_MAX_ORDER);
		return;
	}
	hoard_fill(&hoard, NUMA_NO_NODE, GFP_ATOMIC);
	__free_pages(block, DOLMEN_MAX_ORDER);
	for (unsigned i = 0; i < PAGES; i++)
		pages[i] = alloc_pages(GFP_ATOMIC | __GFP_NOWARN, 0);
	page_reclaim = give_pieces;
	half = alloc_pages(GFP_KERNEL | __GFP_NOWARN, DOLMEN_MAX_ORDER - 1);
	page_reclaim = before;
	CHECK(half, "no block of order %u out of %u pages", DOLMEN_MAX_ORDER - 1, PAGES);
	if (half)
		__free_pages(half, DOLMEN_MAX_ORDER - 1);
	give_pieces(0, 0, 0);
	hoard_release(&hoard);
}
