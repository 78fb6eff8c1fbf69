/*
 * Memory maps as boot loaders hand them over, turned into the raw ranges of dolmen_init. Pure:
 * bytes in, ranges out, in any order; may run before anything else, and one after the other into
 * the same ranges.
 */
#ifndef DOLMEN_MAPS_H
#define DOLMEN_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include <dolmen/range.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ranges as they are collected: the caller gives `range` and `max`, and zeroes the rest. */
struct mem_ranges {
	struct mem_range *range;
	unsigned max;
	unsigned nr;
	unsigned nr_invalid; /* left out: of no bytes, or past 2^64 */
	unsigned nr_no_room; /* left out: usable ones, as long as there are any */
};

/* Whether what the loader made is still in use: page tables, stack, its answers, this map. */
enum mem_phase {
	MEM_LOADER_STAYS,
	MEM_LOADER_GONE,
};

/*
 * One range more, as what the map does not tell of: the kernel's image, if no converter below says
 * that it does. A reserved range wins over usable ones, in whatever order they come.
 */
void dolmen_ranges_add(
	struct mem_ranges *to, uint64_t start_bytes, uint64_t size_bytes, enum mem_kind kind);

/*
 * A BIOS's or PVH's map: `nr_entries` entries, `entry_bytes` apart (20, or 24 with attributes), of
 * address, size and type. Type 1 alone is usable. An entry_bytes below 20 gives nothing. The kernel
 * is the caller's to add.
 */
void dolmen_ranges_e820(
	struct mem_ranges *to, const void *map, size_t nr_entries, size_t entry_bytes);

/*
 * UEFI's: `map_bytes` bytes of descriptors, `descriptor_bytes` apart as GetMemoryMap() said, never
 * sizeof; below 40 gives nothing. MEM_LOADER_STAYS: conventional memory alone; MEM_LOADER_GONE, for
 * after ExitBootServices: loader and boot services memory too, in which an image that firmware
 * loaded lies, for the caller to add. In both: write-back capable, not specific-purpose, not kept
 * for the firmware's runtime. Everything else is reserved: unaccepted and persistent memory, ACPI's
 * own, types of vendors and types unknown.
 */
void dolmen_ranges_efi(struct mem_ranges *to, const void *map, size_t map_bytes,
	size_t descriptor_bytes, enum mem_phase phase);

/*
 * Multiboot2's boot information, at `info`, 8-byte aligned, whose physical address is `info_phys`:
 * its memory map, and, where GRUB ran on UEFI, UEFI's map as well: what one of them reserves is
 * reserved. While firmware still has its boot services, that one is read as with MEM_LOADER_STAYS.
 * Modules are reserved; so is, with MEM_LOADER_STAYS, the boot information itself. The kernel is
 * the caller's to add, with its physical addresses.
 */
void dolmen_ranges_multiboot2(
	struct mem_ranges *to, const void *info, uint64_t info_phys, enum mem_phase phase);

/*
 * Limine's: `entries` and `entry_count` of its memory map response. Usable; with MEM_LOADER_GONE
 * what the boot loader says may be reclaimed, too: then neither its page tables nor its stack nor
 * any response is in use. Kernel and modules have entries of their own.
 */
void dolmen_ranges_limine(
	struct mem_ranges *to, const void *entries, uint64_t nr_entries, enum mem_phase phase);

#ifdef __cplusplus
}
#endif

#endif
