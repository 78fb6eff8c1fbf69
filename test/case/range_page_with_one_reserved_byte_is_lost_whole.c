#include <dolmen/port.h>
#include "mm/range.h"
#include "test/contract.h"

CONTRACT("a page with one reserved byte is lost whole, and no other",
	"stretch_at lets usable entries win over reserved ones")
{
	const struct mem_range raw[] = {
		{0x2abc, 1, MEM_RESERVED},
		{0x1000, 0x4000, MEM_USABLE},
	};
	struct pfn_range out[4];
	struct range_result result;

	range_normalise(raw, 2, out, 4, &result);
	CHECK(result.nr_ranges == 2 && result.nr_pages == 3, "%u ranges, %lu pages",
		result.nr_ranges, result.nr_pages);
	CHECK(out[0].start_pfn == 1 && out[0].end_pfn == 2, "before the byte");
	CHECK(out[1].start_pfn == 3 && out[1].end_pfn == 5, "after the byte");
}
