#include "mm/range.h"
#include "test/contract.h"

CONTRACT("an entry that passes 2^64 is dropped; one that ends there is kept",
	"is_valid adds start and size without looking for a carry")
{
	const struct mem_range raw[] = {
		{0x100000, 0x100000, MEM_USABLE},
		{0xfffffffffffff000, 0x2000, MEM_USABLE},     /* would wrap to page 0 */
		{0x140000, 0xffffffffffff0000, MEM_RESERVED}, /* would reserve all */
		{0x180000, 0, MEM_RESERVED},
		{0xffffffffffff0000, 0x10000, MEM_USABLE},
		{0xffffffffffff8000, 0x8000, MEM_RESERVED},
	};
	struct pfn_range out[4];
	struct range_result result;

	range_normalise(raw, 6, out, 4, &result);
	CHECK(result.nr_invalid == 2, "%u invalid", result.nr_invalid);
	CHECK(result.nr_ranges == 2, "%u ranges", result.nr_ranges);
	CHECK(out[0].start_pfn == 0x100 && out[0].end_pfn == 0x200, "the plain entry");
	CHECK(out[1].start_pfn == 0xffffffffffff0 && out[1].end_pfn == 0xffffffffffff8,
		"the last pages: %lx to %lx", out[1].start_pfn, out[1].end_pfn);

	range_normalise(raw + 4, 1, out, 4, &result);
	CHECK(result.nr_pages == 16 && out[0].end_pfn == 1ul << 52, "usable to the very end");
}
