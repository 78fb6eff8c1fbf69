#include "test/contract.h"

#include <dolmen/maps.h>

CONTRACT("a map of more ranges than there is room for loses usable ones, as long as there are any",
	"a reserved range without room is dropped")
{
	struct mem_range range[3];
	struct mem_ranges ranges = {.range = range, .max = 3};

	for (unsigned i = 0; i < 4; i++)
		dolmen_ranges_add(&ranges, 0x10000 * i, 0x8000, MEM_USABLE);
	CHECK(ranges.nr == 3 && ranges.nr_no_room == 1, "%u ranges, %u without room", ranges.nr,
		ranges.nr_no_room);
	dolmen_ranges_add(&ranges, 0x10000, 0x1000, MEM_RESERVED);
	dolmen_ranges_add(&ranges, 0x20000, 0x1000, MEM_RESERVED);
	CHECK(range[0].kind == MEM_USABLE && !range[0].start_bytes, "the first is gone");
	CHECK(range[2].kind == MEM_RESERVED && range[2].start_bytes == 0x10000, "not reserved");
	CHECK(range[1].kind == MEM_RESERVED && range[1].start_bytes == 0x20000, "not reserved");
	for (unsigned i = 0; i < 2; i++)
		dolmen_ranges_add(&ranges, 0x30000, 0x1000, MEM_RESERVED);
	CHECK(ranges.nr == 3 && ranges.nr_no_room == 5, "%u ranges, %u without room", ranges.nr,
		ranges.nr_no_room);
	CHECK(range[0].start_bytes == 0x30000 && range[1].start_bytes == 0x20000, "replaced");
	CHECK(!ranges.nr_invalid, "%u invalid", ranges.nr_invalid);
}
