/*
 * The UEFI memory map as raw ranges. Pure: bytes in, ranges out.
 */
#ifndef BOOT_EFI_MAP_H
#define BOOT_EFI_MAP_H

#include <stddef.h>
#include <stdint.h>

#include <dolmen/range.h>

enum efi_map_phase {
	EFI_BOOT_SERVICES, /* conventional memory alone */
	EFI_AFTER_EXIT,	   /* after ExitBootServices: loader and boot services memory too */
};

struct efi_map_result {
	unsigned nr_ranges;
	unsigned nr_invalid; /* descriptors of no pages, or that pass 2^64 */
	unsigned nr_no_room; /* descriptors past `max` */
};

/*
 * Turns `map_bytes` bytes of descriptors, `descriptor_bytes` apart (UEFI: 40 or more, never
 * sizeof), into at most `max` entries of `out`, one a descriptor, in the map's order. A
 * descriptor_bytes below 40 gives none.
 *
 * Usable: by type as `phase` says, write-back capable, not specific-purpose, not kept for the
 * firmware's runtime. Everything else is reserved: unaccepted and persistent memory, types of
 * vendors and types unknown.
 */
void efi_map_ranges(const void *map, size_t map_bytes, size_t descriptor_bytes,
	enum efi_map_phase phase, struct mem_range *out, unsigned max,
	struct efi_map_result *result);

#endif
