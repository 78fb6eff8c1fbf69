/* Failure injection. */
#include <dolmen/init.h>
#include <dolmen/page.h>

#include "test/contract.h"

/* Bit i: the i-th of 8 allocations succeeded. */
static unsigned outcome(uint64_t skip, uint64_t count)
{
	struct page *pages[8];
	unsigned result = 0;

	dolmen_fail_pages(skip, count);
	for (unsigned i = 0; i < 8; i++) {
		pages[i] = i % 2 ? alloc_pages(GFP_KERNEL | __GFP_NOWARN, i / 2)
				 : alloc_pages_node(0, GFP_KERNEL | __GFP_NOWARN, i / 2);
		result |= (unsigned)!!pages[i] << i;
	}
	dolmen_fail_pages(0, 0);
	for (unsigned i = 0; i < 8; i++)
		if (pages[i])
			__free_pages(pages[i], i / 2);
	return result;
}

CONTRACT("the n-th page allocation can be made to fail, and the next succeeds again",
	"fail_now counts an allocation twice on its way from the fast path to the slow one")
{
	static const struct {
		uint64_t skip, count;
		unsigned expected;
	} cases[] = {
		{0, 0, 0xff},
		{0, 1, 0xfe},
		{3, 1, 0xf7},
		{2, 3, 0xe3},
		{7, 5, 0x7f},
		{5, UINT64_MAX, 0x1f},
		{0, UINT64_MAX, 0x00},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned result = outcome(cases[i].skip, cases[i].count);

		CHECK(result == cases[i].expected, "skip %lu, fail %lu: 0x%02x, not 0x%02x",
			cases[i].skip, cases[i].count, result, cases[i].expected);
	}
}
