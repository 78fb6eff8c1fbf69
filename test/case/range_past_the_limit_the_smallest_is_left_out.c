#include <dolmen/limits.h>
#include "mm/range.h"
#include "test/contract.h"

#define NR_RAW (DOLMEN_MAX_RANGES + 1)

static struct mem_range raw[NR_RAW];
static struct pfn_range out[DOLMEN_MAX_RANGES + 1];

CONTRACT("of one range more than the limit the smallest is left out and counted",
	"add_run stops at the limit and keeps what came first")
{
	struct range_result result;

	/*
	 * Two pages each, but for the third of one page; the last, at the lowest address, of three.
	 */
	for (unsigned i = 0; i < NR_RAW; i++)
		raw[i] = (struct mem_range){(NR_RAW - i) * 0x10000ul, 0x2000, MEM_USABLE};
	raw[2].size_bytes = 0x1000;
	raw[NR_RAW - 1].size_bytes = 0x3000;
	out[DOLMEN_MAX_RANGES].start_pfn = 42;

	range_normalise(raw, NR_RAW, out, DOLMEN_MAX_RANGES, &result);
	CHECK(out[DOLMEN_MAX_RANGES].start_pfn == 42, "written past the limit");
	CHECK(result.nr_ranges == DOLMEN_MAX_RANGES, "%u ranges", result.nr_ranges);
	CHECK(result.nr_dropped == 1 && result.nr_dropped_pages == 1, "%u dropped, of %lu pages",
		result.nr_dropped, result.nr_dropped_pages);
	CHECK(result.nr_pages == 2ul * DOLMEN_MAX_RANGES + 1, "%lu pages", result.nr_pages);
	for (unsigned i = 1; i < result.nr_ranges; i++)
		CHECK(out[i - 1].end_pfn < out[i].start_pfn, "range %u is not sorted", i);
}
