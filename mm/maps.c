/*
 * Memory maps of boot loaders: see include/dolmen/maps.h. Whether ranges make sense together is for
 * mm/range.c to judge.
 *
 * All are read byte by byte: a map may begin anywhere, and entries be any number of bytes apart.
 */
#include <dolmen/maps.h>

#include <stdbool.h>

#include <dolmen/limits.h>
#include "lib/memory.h"

static uint32_t read_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t read_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/*
 * Without room a reserved range takes the place of a usable one: less memory is found, but none
 * that is somebody's.
 */
void dolmen_ranges_add(
	struct mem_ranges *to, uint64_t start_bytes, uint64_t size_bytes, enum mem_kind kind)
{
	unsigned at = to->nr;

	if (!size_bytes || size_bytes - 1 > UINT64_MAX - start_bytes) {
		to->nr_invalid++;
		return;
	}
	if (to->nr < to->max) {
		to->nr++;
	} else {
		to->nr_no_room++;
		while (at && (kind == MEM_USABLE || to->range[at - 1].kind != MEM_USABLE))
			at--;
		if (!at--)
			return;
	}
	to->range[at] = (struct mem_range){
		.start_bytes = start_bytes, .size_bytes = size_bytes, .kind = kind};
}

static enum mem_kind kind_if(bool usable)
{
	return usable ? MEM_USABLE : MEM_RESERVED;
}

/* ---- e820 ---- */

#define E820_LEAST_BYTES 20
#define E820_USABLE	 1

void dolmen_ranges_e820(
	struct mem_ranges *to, const void *map, size_t nr_entries, size_t entry_bytes)
{
	if (entry_bytes < E820_LEAST_BYTES)
		return;
	for (const uint8_t *entry = map; nr_entries; nr_entries--, entry += entry_bytes)
		dolmen_ranges_add(to, read_u64(entry), read_u64(entry + 8),
			kind_if(read_u32(entry + 16) == E820_USABLE));
}

/* ---- UEFI ---- */

#define EFI_LEAST_BYTES 40 /* of version 1: all that is read here */

#define EFI_WRITE_BACK	     (1ull << 3)
#define EFI_NON_VOLATILE     (1ull << 15)
#define EFI_SPECIFIC_PURPOSE (1ull << 18)
#define EFI_RUNTIME	     (1ull << 63)

/*
 * Memory that the firmware keeps for its runtime services is reserved even where its type is
 * conventional: the specification allows no such thing, and to give up a few pages is the safe way
 * to read it.
 */
static bool efi_usable(uint32_t type, uint64_t attributes, enum mem_phase phase)
{
	if (!(attributes & EFI_WRITE_BACK) ||
		attributes & (EFI_NON_VOLATILE | EFI_SPECIFIC_PURPOSE | EFI_RUNTIME))
		return false;
	switch (type) {
	case 7: /* conventional */
		return true;
	case 1: /* loader code */
	case 2: /* loader data */
	case 3: /* boot services code */
	case 4: /* boot services data */
		return phase == MEM_LOADER_GONE;
	default:
		return false;
	}
}

void dolmen_ranges_efi(struct mem_ranges *to, const void *map, size_t map_bytes,
	size_t descriptor_bytes, enum mem_phase phase)
{
	const uint8_t *descriptor = map;

	if (descriptor_bytes < EFI_LEAST_BYTES)
		return;
	for (; map_bytes >= descriptor_bytes; map_bytes -= descriptor_bytes) {
		uint64_t nr_pages = read_u64(descriptor + 24);

		/* Too many pages for a size in bytes become none, which is as wrong. */
		dolmen_ranges_add(to, read_u64(descriptor + 8),
			nr_pages > UINT64_MAX >> PAGE_SHIFT ? 0 : nr_pages << PAGE_SHIFT,
			kind_if(efi_usable(
				read_u32(descriptor), read_u64(descriptor + 32), phase)));
		descriptor += descriptor_bytes;
	}
}

/* ---- multiboot2 ---- */

#define INFO_HEAD_BYTES 8 /* u32 size, u32 reserved; a tag begins with u32 type, u32 size */

enum { TAG_END = 0, TAG_MODULE = 3, TAG_MEMORY_MAP = 6, TAG_EFI_MAP = 17, TAG_EFI_SERVICES = 18 };

/* A tag and how many of its bytes are there, its head among them. */
struct tag {
	const uint8_t *bytes;
	uint32_t size_bytes;
};

/* The next tag that is whole; false at the end. Begin with bytes NULL. */
static bool next_tag(const uint8_t *info, struct tag *tag)
{
	uint64_t left_bytes, at = INFO_HEAD_BYTES;

	if (tag->bytes)
		at = (uint64_t)(tag->bytes - info) + ((tag->size_bytes + 7ull) & ~7ull);
	if (read_u32(info) < at + INFO_HEAD_BYTES)
		return false;
	left_bytes = read_u32(info) - at;
	tag->bytes = info + at;
	tag->size_bytes = read_u32(tag->bytes + 4);
	return read_u32(tag->bytes) != TAG_END && tag->size_bytes >= INFO_HEAD_BYTES &&
	       tag->size_bytes <= left_bytes;
}

/* Type, size, u32 bytes of an entry, u32 version: a map of a BIOS, or of UEFI. */
#define MAP_HEAD_BYTES 16

static void add_tag(struct mem_ranges *to, const struct tag *tag, enum mem_phase efi_phase)
{
	const uint8_t *bytes = tag->bytes, *map = bytes + MAP_HEAD_BYTES;
	uint32_t map_bytes, entry_bytes, start, end;

	if (tag->size_bytes < MAP_HEAD_BYTES)
		return;
	map_bytes = tag->size_bytes - MAP_HEAD_BYTES;
	entry_bytes = read_u32(bytes + 8);
	switch (read_u32(bytes)) {
	case TAG_MODULE: /* first byte, byte after the last */
		start = read_u32(bytes + 8);
		end = read_u32(bytes + 12);
		dolmen_ranges_add(to, start, end > start ? end - start : 0, MEM_RESERVED);
		break;
	case TAG_MEMORY_MAP:
		if (entry_bytes)
			dolmen_ranges_e820(to, map, map_bytes / entry_bytes, entry_bytes);
		break;
	case TAG_EFI_MAP:
		dolmen_ranges_efi(to, map, map_bytes, entry_bytes, efi_phase);
	}
}

void dolmen_ranges_multiboot2(
	struct mem_ranges *to, const void *info, uint64_t info_phys, enum mem_phase phase)
{
	enum mem_phase efi_phase = phase;
	struct tag tag = {0};

	if (phase == MEM_LOADER_STAYS)
		dolmen_ranges_add(to, info_phys, read_u32(info), MEM_RESERVED);
	while (next_tag(info, &tag))
		if (read_u32(tag.bytes) == TAG_EFI_SERVICES)
			efi_phase = MEM_LOADER_STAYS;
	for (tag.bytes = NULL; next_tag(info, &tag);)
		add_tag(to, &tag, efi_phase);
}

/* ---- Limine ---- */

enum { LIMINE_USABLE = 0, LIMINE_RECLAIMABLE = 5 };

void dolmen_ranges_limine(
	struct mem_ranges *to, const void *entries, uint64_t nr_entries, enum mem_phase phase)
{
	for (uint64_t i = 0; i < nr_entries; i++) {
		const uint8_t *entry = ((const uint8_t *const *)entries)[i];
		uint64_t type = read_u64(entry + 16);

		dolmen_ranges_add(to, read_u64(entry), read_u64(entry + 8),
			kind_if(type == LIMINE_USABLE ||
				(type == LIMINE_RECLAIMABLE && phase == MEM_LOADER_GONE)));
	}
}
