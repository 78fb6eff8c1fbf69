/*
 * The UEFI memory map as raw ranges: see boot/efi_map.h.
 *
 * Memory that the firmware keeps for its runtime services is reserved even where its type is
 * conventional: the specification allows no such thing, and to give up a few pages is the safe way
 * to read it.
 */
#include "boot/efi_map.h"

#include <stdbool.h>

#include <dolmen/limits.h>
#include "lib/string.h"

#define DESCRIPTOR_BYTES 40 /* of version 1: all that is read here */

enum {
	LOADER_CODE = 1,
	LOADER_DATA = 2,
	BOOT_SERVICES_CODE = 3,
	BOOT_SERVICES_DATA = 4,
	CONVENTIONAL = 7,
};

#define WRITE_BACK	 (1ull << 3)
#define NON_VOLATILE	 (1ull << 15)
#define SPECIFIC_PURPOSE (1ull << 18)
#define RUNTIME		 (1ull << 63)

static bool is_usable(uint32_t type, uint64_t attributes, enum efi_map_phase phase)
{
	if (!(attributes & WRITE_BACK) || attributes & (NON_VOLATILE | SPECIFIC_PURPOSE | RUNTIME))
		return false;
	switch (type) {
	case CONVENTIONAL:
		return true;
	case LOADER_CODE:
	case LOADER_DATA:
	case BOOT_SERVICES_CODE:
	case BOOT_SERVICES_DATA:
		return phase == EFI_AFTER_EXIT;
	default:
		return false;
	}
}

/* False for one that covers nothing or passes 2^64. */
static bool decode(const uint8_t *descriptor, enum efi_map_phase phase, struct mem_range *to)
{
	uint32_t type;
	uint64_t start_bytes, nr_pages, attributes;

	memcpy(&type, descriptor, sizeof(type));
	memcpy(&start_bytes, descriptor + 8, sizeof(start_bytes));
	memcpy(&nr_pages, descriptor + 24, sizeof(nr_pages));
	memcpy(&attributes, descriptor + 32, sizeof(attributes));

	if (!nr_pages || nr_pages > UINT64_MAX >> PAGE_SHIFT)
		return false;
	uint64_t size_bytes = nr_pages << PAGE_SHIFT;
	if (size_bytes - 1 > UINT64_MAX - start_bytes)
		return false;
	*to = (struct mem_range){
		.start_bytes = start_bytes,
		.size_bytes = size_bytes,
		.kind = is_usable(type, attributes, phase) ? MEM_USABLE : MEM_RESERVED,
	};
	return true;
}

void efi_map_ranges(const void *map, size_t map_bytes, size_t descriptor_bytes,
	enum efi_map_phase phase, struct mem_range *out, unsigned max,
	struct efi_map_result *result)
{
	*result = (struct efi_map_result){0};
	if (descriptor_bytes < DESCRIPTOR_BYTES)
		return;
	for (size_t left = map_bytes; left >= descriptor_bytes; left -= descriptor_bytes) {
		struct mem_range range;

		if (!decode((const uint8_t *)map + (map_bytes - left), phase, &range))
			result->nr_invalid++;
		else if (result->nr_ranges == max)
			result->nr_no_room++;
		else
			out[result->nr_ranges++] = range;
	}
}
