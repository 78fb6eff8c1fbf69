#include "mm/range.h"
#include "test/contract.h"

CONTRACT("usable ranges that touch inside a page are joined before they are rounded to pages",
	"range_normalise rounds each entry on its own")
{
	const struct mem_range raw[] = {
		{0x2010, 0xff0, MEM_USABLE}, {0x1801, 0x80f, MEM_USABLE},
		{0x1000, 0x801, MEM_USABLE},
		{0x3000, 0xfff, MEM_USABLE}, /* a byte short of a page */
	};
	struct pfn_range out[4];
	struct range_result result;

	range_normalise(raw, 4, out, 4, &result);
	CHECK(result.nr_ranges == 1, "%u ranges", result.nr_ranges);
	CHECK(out[0].start_pfn == 1 && out[0].end_pfn == 3, "pages %lu to %lu", out[0].start_pfn,
		out[0].end_pfn);
}
