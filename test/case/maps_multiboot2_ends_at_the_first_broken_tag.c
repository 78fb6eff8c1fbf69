#include "test/contract.h"

#include <dolmen/maps.h>

CONTRACT("multiboot2's boot information ends at the first tag that is not whole",
	"a tag of size 0 is passed over")
{
	/* Two maps of one entry, of which the first is damaged in turn. */
	struct {
		uint32_t info_bytes, reserved;
		struct {
			uint32_t type, size_bytes, entry_bytes, version;
			uint64_t start_bytes, entry_size_bytes;
			uint32_t entry_type, zero;
		} map[2];
		uint32_t end, end_bytes;
	} info = {sizeof(info), 0,
		{{6, 40, 24, 0, 0, 0x1000, 1, 0}, {6, 40, 24, 0, 0, 0x1000, 1, 0}}, 0, 8};
	static const struct {
		uint32_t size_bytes, entry_bytes, info_bytes, nr_ranges;
	} cases[] = {
		{40, 24, sizeof(info), 2}, {0, 24, sizeof(info), 0}, {7, 24, sizeof(info), 0},
		{UINT32_MAX, 24, sizeof(info), 0}, {sizeof(info) - 7, 24, sizeof(info), 0},
		{40, 0, sizeof(info), 1}, {40, 25, sizeof(info), 1}, {40, 24, 0, 0},
		{40, 24, 15, 0}, {40, 24, 47, 0}, {40, 24, 48, 1},
		{40, 24, 8 + 2 * 40, 2}, /* no tag that says the end */
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mem_range range[4];
		struct mem_ranges ranges = {.range = range, .max = 4};

		info.info_bytes = cases[i].info_bytes;
		info.map[0].size_bytes = cases[i].size_bytes;
		info.map[0].entry_bytes = cases[i].entry_bytes;
		dolmen_ranges_multiboot2(&ranges, &info, 0, MEM_LOADER_GONE);
		CHECK(ranges.nr == cases[i].nr_ranges, "case %u: %u ranges", i, ranges.nr);
	}
}
