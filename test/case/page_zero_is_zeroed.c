/* __GFP_ZERO. */
#include "lib/string.h"
#include "test/contract.h"
#include <dolmen/page.h>

CONTRACT("__GFP_ZERO gives zeroes, wherever the block was before",
	"alloc_slow zeroes one page whatever the order")
{
	for (unsigned order = 0; order <= 5; order++) {
		unsigned char *block = __get_free_pages(GFP_KERNEL, order);
		size_t dirty = 0;

		CHECK(block, "no block of order %u", order);
		if (!block)
			continue;
		memset(block, 0xff, PAGE_SIZE << order);
		free_pages(block, order);
		block = __get_free_pages(GFP_KERNEL | __GFP_ZERO, order);
		CHECK(block, "no block of order %u", order);
		if (!block)
			continue;
		for (size_t i = 0; i < PAGE_SIZE << order; i++)
			dirty += block[i] != 0;
		CHECK(!dirty, "%zu bytes of a block of order %u are not 0", dirty, order);
		free_pages(block, order);
	}
}
