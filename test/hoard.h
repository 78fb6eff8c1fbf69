/*
 * For contracts that use memory up: blocks chained through their own first bytes, so that a hoard
 * needs no memory.
 */
#ifndef TEST_HOARD_H
#define TEST_HOARD_H

#include <dolmen/init.h>
#include <dolmen/page.h>

struct hoarded {
	struct hoarded *next;
	unsigned order;
};

struct hoard {
	struct hoarded *first;
	uint64_t nr_pages;
};

/* A machine on which taking every page costs seconds rather than minutes. */
static inline bool hoard_is_cheap(void)
{
	struct dolmen_memory memory;

	dolmen_memory(&memory);
	return memory.managed <= (4ul << 30) >> PAGE_SHIFT;
}

/* One block; NULL when there is none. */
static inline struct page *hoard_take(struct hoard *hoard, int nid, gfp_t gfp, unsigned order)
{
	struct page *page = alloc_pages_node(nid, gfp | __GFP_NOWARN, order);

	if (page) {
		struct hoarded *block = page_address(page);

		block->next = hoard->first;
		block->order = order;
		hoard->first = block;
		hoard->nr_pages += 1ul << order;
	}
	return page;
}

/* All there is for such a request, large blocks first. */
static inline void hoard_fill(struct hoard *hoard, int nid, gfp_t gfp)
{
	for (unsigned order = DOLMEN_MAX_ORDER + 1; order-- > 0;)
		while (hoard_take(hoard, nid, gfp, order))
			;
}

static inline void hoard_release(struct hoard *hoard)
{
	while (hoard->first) {
		struct hoarded *block = hoard->first;

		hoard->first = block->next;
		free_pages(block, block->order);
	}
	hoard->nr_pages = 0;
}

#endif
