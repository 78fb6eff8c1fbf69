/* The line that a failing allocation logs. */
#include <dolmen/init.h>

#include "mm/page_alloc.h"
#include "test/contract.h"

CONTRACT("a failing allocation logs a line at each power of two, and none with __GFP_NOWARN",
	"note_failure logs each one")
{
	unsigned lines = 0, expected = 0;

	dolmen_fail_pages(0, UINT64_MAX);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t nr = page_alloc_failures() + 1;

		test_log_clear();
		CHECK(!alloc_pages(GFP_KERNEL, 0), "a page despite injected failure");
		lines += test_log_has("no memory for order 0");
		expected += !(nr & (nr - 1));
	}
	CHECK(lines == expected, "%u lines, not %u", lines, expected);
	test_log_clear();
	for (unsigned i = 0; i < 256; i++)
		CHECK(!alloc_pages(GFP_KERNEL | __GFP_NOWARN, 0),
			"a page despite injected failure");
	CHECK(!test_log_has("no memory"), "a line despite __GFP_NOWARN");
	dolmen_fail_pages(0, 0);
}
