/* Blocks of every order. */
#include <dolmen/page.h>
#include "mm/memmap.h"
#include "test/contract.h"

CONTRACT("a block of each order is aligned to its size",
	"buddy_take accepts blocks one order smaller")
{
	for (unsigned order = 0; order <= DOLMEN_MAX_ORDER; order++) {
		struct page *page = alloc_pages(GFP_KERNEL, order);

		CHECK(page, "order %u", order);
		if (!page)
			continue;
		CHECK(!(page_pfn(page) & ((1ul << order) - 1)),
			"pfn 0x%lx is not aligned to order %u", page_pfn(page), order);
		CHECK(!((uintptr_t)page_address(page) & ((PAGE_SIZE << order) - 1)),
			"address %p is not aligned to order %u", page_address(page), order);
		__free_pages(page, order);
	}
	CHECK(!alloc_pages(GFP_KERNEL | __GFP_NOWARN, DOLMEN_MAX_ORDER + 1),
		"an order past the largest was served");
}
