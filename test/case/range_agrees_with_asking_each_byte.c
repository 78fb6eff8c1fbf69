#include <dolmen/port.h>
#include "mm/range.h"
#include "test/contract.h"

#define NR_PAGES   8
#define NR_ENTRIES 10
#define NR_BYTES   (NR_PAGES * PAGE_SIZE)

enum { USABLE = 1, RESERVED = 2 };

static uint8_t said[NR_BYTES]; /* what the entries say about each byte */

/* Mostly at the borders of pages and next to them, where the mistakes are. */
static uint64_t random_border(void)
{
	static const int64_t beside[] = {0, 0, 0, 1, -1, 1000};
	int64_t border =
		(int64_t)(test_random() % NR_PAGES * PAGE_SIZE) + beside[test_random() % 6];

	return border < 0 ? 0 : (uint64_t)border;
}

static bool page_usable(uint64_t pfn)
{
	for (uint64_t byte = pfn * PAGE_SIZE; byte < (pfn + 1) * PAGE_SIZE; byte++)
		if (said[byte] != USABLE)
			return false;
	return true;
}

static bool in_ranges(const struct pfn_range *out, unsigned nr_ranges, uint64_t pfn)
{
	for (unsigned i = 0; i < nr_ranges; i++)
		if (pfn >= out[i].start_pfn && pfn < out[i].end_pfn)
			return true;
	return false;
}

static void one_map(void)
{
	struct mem_range raw[NR_ENTRIES];
	struct pfn_range out[NR_PAGES];
	struct range_result result;

	for (uint64_t i = 0; i < NR_BYTES; i++)
		said[i] = 0;
	for (unsigned i = 0; i < NR_ENTRIES; i++) {
		uint64_t a = random_border(), b = random_border();

		raw[i].start_bytes = a < b ? a : b;
		raw[i].size_bytes = a < b ? b - a : a - b;
		raw[i].kind = test_random() % 4 ? MEM_USABLE : 7;
		for (uint64_t j = 0; j < raw[i].size_bytes; j++)
			said[raw[i].start_bytes + j] |=
				raw[i].kind == MEM_USABLE ? USABLE : RESERVED;
	}
	range_normalise(raw, NR_ENTRIES, out, NR_PAGES, &result);
	for (uint64_t pfn = 0; pfn < NR_PAGES; pfn++)
		CHECK(in_ranges(out, result.nr_ranges, pfn) == page_usable(pfn), "page %lu", pfn);
	for (unsigned i = 1; i < result.nr_ranges; i++)
		CHECK(out[i - 1].end_pfn < out[i].start_pfn, "ranges touch or are not sorted");
}

CONTRACT("random maps give the pages that asking each byte gives", "borders off by one")
{
	for (unsigned i = 0; i < 40; i++)
		one_map();
}
