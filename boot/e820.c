/*
 * An e820-shaped map as raw ranges: see boot/e820.h. Whether a range makes sense is for mm/range.c
 * to judge.
 */
#include "boot/e820.h"

#include "lib/string.h"

#define LEAST_BYTES 20 /* address, size, type */

unsigned e820_ranges(
	const void *map, size_t nr_entries, size_t entry_bytes, struct mem_range *out, unsigned max)
{
	unsigned nr_ranges = 0;

	if (entry_bytes < LEAST_BYTES)
		return 0;
	for (const uint8_t *entry = map; nr_entries && nr_ranges < max;
		nr_entries--, entry += entry_bytes) {
		struct mem_range *range = &out[nr_ranges++];
		uint32_t type;

		memcpy(&range->start_bytes, entry, sizeof(range->start_bytes));
		memcpy(&range->size_bytes, entry + 8, sizeof(range->size_bytes));
		memcpy(&type, entry + 16, sizeof(type));
		range->kind = type == E820_USABLE ? MEM_USABLE : MEM_RESERVED;
	}
	return nr_ranges;
}
