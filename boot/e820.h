/*
 * An e820-shaped map, as PVH's start info carries it, as raw ranges. Pure: bytes in, ranges out.
 */
#ifndef BOOT_E820_H
#define BOOT_E820_H

#include <stddef.h>
#include <stdint.h>

#include <dolmen/range.h>

#define E820_ENTRY_BYTES 24 /* PVH: u64 address, u64 size, u32 type, u32 reserved */
#define E820_USABLE	 1

/*
 * Turns `nr_entries` entries, each `entry_bytes` (20 from a BIOS, 24 in PVH) apart, into at most
 * `max` entries of `out` in the map's order, and returns their number. Only type 1 is usable.
 */
unsigned e820_ranges(const void *map, size_t nr_entries, size_t entry_bytes, struct mem_range *out,
	unsigned max);

#endif
