/*
 * Compares what becomes of memory maps with NAME.expected.json: usable pages, and each run of them.
 */
#include "test/host/firmware.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dolmen/limits.h>
#include <dolmen/maps.h>
#include "mm/range.h"

#define MAX_ENTRIES 4096

#define E820_ENTRY_BYTES 24 /* of PVH and multiboot2 */
#define BIOS_ENTRY_BYTES 20

/* OVMF's descriptors are 48 bytes apart; 40 is the least. Both are tried. */
#define DESCRIPTOR_BYTES      40
#define OVMF_DESCRIPTOR_BYTES 48

/* One line of the file: its numbers, in the order of the columns, names left out. */
struct line {
	uint64_t numbers[4];
};

static struct line lines[MAX_ENTRIES];
static unsigned nr_lines;
static struct mem_range raw[MAX_ENTRIES];
static struct pfn_range ranges[DOLMEN_MAX_RANGES];
static struct range_result result;

/* Columns from 0; -1 ends the list. */
static void read_lines(char *text, const int *columns)
{
	nr_lines = 0;
	for (char *row = strtok(text, "\n"); row; row = strtok(NULL, "\n")) {
		if (row[0] < '0' || row[0] > '9' || nr_lines == MAX_ENTRIES)
			continue; /* a comment, or the header */
		int column = 0, wanted = 0;
		for (char *cell = row; cell && columns[wanted] >= 0; column++) {
			if (column == columns[wanted])
				lines[nr_lines].numbers[wanted++] = strtoull(cell, NULL, 0);
			cell = strchr(cell, ',');
			cell = cell ? cell + 1 : NULL;
		}
		nr_lines++;
	}
}

/* ---- the map, as each loader would hand it over ---- */

/* Bytes that a loader wrote, and no byte more that can be read. */
static uint8_t *map;
static size_t map_bytes;

static uint8_t *append(size_t size_bytes)
{
	map = realloc(map, map_bytes + size_bytes);
	map_bytes += size_bytes;
	return memset(map + map_bytes - size_bytes, 0, size_bytes);
}

static void put(uint8_t *to, uint64_t value, size_t size_bytes)
{
	memcpy(to, &value, size_bytes);
}

static void append_e820(size_t entry_bytes)
{
	for (unsigned i = 0; i < nr_lines; i++) {
		uint8_t *entry = append(entry_bytes);

		put(entry, lines[i].numbers[0], 8);
		put(entry + 8, lines[i].numbers[1], 8);
		put(entry + 16, lines[i].numbers[2], 4);
	}
}

static void append_efi(size_t descriptor_bytes)
{
	for (unsigned i = 0; i < nr_lines; i++) {
		uint8_t *descriptor = append(descriptor_bytes);

		put(descriptor, lines[i].numbers[0], 4);
		put(descriptor + 8, lines[i].numbers[1], 8);
		put(descriptor + 24, lines[i].numbers[2], 8);
		put(descriptor + 32, lines[i].numbers[3], 8);
	}
}

static void begin(void)
{
	free(map);
	map = NULL;
	map_bytes = 0;
}

/* What has become of the map. No entry is lost without being counted. */
static void normalise(const struct mem_ranges *found)
{
	expect(found->nr + found->nr_invalid == nr_lines && !found->nr_no_room,
		"%u entries became %u ranges", nr_lines, found->nr);
	range_normalise(raw, found->nr, ranges, DOLMEN_MAX_RANGES, &result);
}

static void normalise_e820(size_t entry_bytes)
{
	struct mem_ranges found = {.range = raw, .max = MAX_ENTRIES};

	begin();
	append_e820(entry_bytes);
	dolmen_ranges_e820(&found, map, nr_lines, entry_bytes);
	normalise(&found);
}

static void normalise_efi(enum mem_phase phase, size_t descriptor_bytes)
{
	struct mem_ranges found = {.range = raw, .max = MAX_ENTRIES};

	begin();
	append_efi(descriptor_bytes);
	dolmen_ranges_efi(&found, map, map_bytes, descriptor_bytes, phase);
	normalise(&found);
}

/* Boot information of one map and the last tag. */
static void normalise_multiboot2(bool is_efi, enum mem_phase phase)
{
	struct mem_ranges found = {.range = raw, .max = MAX_ENTRIES};

	begin();
	append(24);
	if (is_efi)
		append_efi(OVMF_DESCRIPTOR_BYTES);
	else
		append_e820(E820_ENTRY_BYTES);
	put(map + 8, is_efi ? 17 : 6, 4);
	put(map + 12, map_bytes - 8, 4);
	put(map + 16, is_efi ? OVMF_DESCRIPTOR_BYTES : E820_ENTRY_BYTES, 4);
	put(append(8) + 4, 8, 4);
	put(map, map_bytes, 4);
	/* Where it lies is where nothing is: with MEM_LOADER_STAYS it is one range more. */
	dolmen_ranges_multiboot2(&found, map, UINT64_MAX - map_bytes, phase);
	found.nr -= phase == MEM_LOADER_STAYS;
	memmove(raw, raw + (phase == MEM_LOADER_STAYS), found.nr * sizeof(raw[0]));
	normalise(&found);
}

static void normalise_limine(void)
{
	/* Of e820's types: usable, reserved, ACPI tables, ACPI's own, bad; others reserved. */
	static const uint64_t types[] = {[1] = 0, [2] = 1, [3] = 2, [4] = 3, [5] = 4};
	struct mem_ranges found = {.range = raw, .max = MAX_ENTRIES};
	const void **entries = calloc(nr_lines + 1, sizeof(*entries));

	begin();
	append(nr_lines * 24ul);
	for (unsigned i = 0; i < nr_lines; i++) {
		uint64_t type = lines[i].numbers[2];

		entries[i] = map + i * 24ul;
		put(map + i * 24ul, lines[i].numbers[0], 8);
		put(map + i * 24ul + 8, lines[i].numbers[1], 8);
		put(map + i * 24ul + 16, type && type < 6 ? types[type] : 1, 8);
	}
	dolmen_ranges_limine(&found, entries, nr_lines, MEM_LOADER_STAYS);
	free(entries);
	normalise(&found);
}

/* ---- the comparison ---- */

static uint64_t pages_below(uint64_t pfn)
{
	uint64_t pages = 0;

	for (unsigned i = 0; i < result.nr_ranges; i++) {
		uint64_t end = ranges[i].end_pfn < pfn ? ranges[i].end_pfn : pfn;

		pages += end > ranges[i].start_pfn ? end - ranges[i].start_pfn : 0;
	}
	return pages;
}

/* Without anything expected all is right. */
static void compare(const char *what, uint64_t have, const json_t *expected, const char *key)
{
	uint64_t want = expected ? field_u64(expected, key) : have;

	expect(have == want, "%s: %s is %" PRIu64 ", not %" PRIu64, what, key, have, want);
}

static void check_runs(const char *what, const json_t *expected)
{
	const json_t *runs = json_object_get(expected, "pfn_runs"), *run;
	uint64_t largest = 0, nr_single = 0;
	size_t index;

	for (unsigned i = 0; i < result.nr_ranges; i++) {
		uint64_t pages = ranges[i].end_pfn - ranges[i].start_pfn;

		largest = pages > largest ? pages : largest;
		nr_single += pages == 1;
	}
	compare(what, result.nr_pages, expected, "pages");
	compare(what, result.nr_ranges, expected, "runs");
	compare(what, largest, expected, "largest_run_pages");
	compare(what, nr_single, expected, "single_page_runs");
	compare(what, pages_below(0x100), expected, "pages_below_1M");
	compare(what, pages_below(0x100000), expected, "pages_below_4G");
	if (result.nr_ranges) {
		compare(what, ranges[0].start_pfn, expected, "first_pfn");
		compare(what, ranges[result.nr_ranges - 1].end_pfn - 1, expected, "last_pfn");
	}
	expect(!expected || json_array_size(runs) == result.nr_ranges, "%s: %u runs", what,
		result.nr_ranges);
	json_array_foreach(runs, index, run)
	{
		uint64_t start = json_u64(json_array_get(run, 0));
		uint64_t end = json_u64(json_array_get(run, 1));

		expect(index < result.nr_ranges && ranges[index].start_pfn == start &&
				ranges[index].end_pfn == end,
			"%s: run %zu is not %#" PRIx64 "-%#" PRIx64, what, index, start, end);
	}
	expect(!result.nr_dropped && !result.nr_dropped_pages, "%s: ranges were dropped", what);
}

static void run_e820(const json_t *expected)
{
	const json_t *usable = json_object_get(expected, "usable");

	compare("e820", nr_lines, expected, "entries");
	normalise_limine();
	check_runs("Limine", usable);
	normalise_multiboot2(false, MEM_LOADER_STAYS);
	check_runs("multiboot2", usable);
	normalise_e820(BIOS_ENTRY_BYTES);
	check_runs("e820 of a BIOS", usable);
	normalise_e820(E820_ENTRY_BYTES);
	check_runs("e820", usable);
}

static void run_efi(const json_t *expected)
{
	const json_t *conventional = json_object_get(expected, "conventional");
	const json_t *after_exit = json_object_get(expected, "after_ebs");

	compare("efi", nr_lines, expected, "entries");
	normalise_efi(MEM_LOADER_STAYS, OVMF_DESCRIPTOR_BYTES);
	check_runs("conventional", conventional);
	normalise_multiboot2(true, MEM_LOADER_STAYS);
	check_runs("multiboot2, conventional", conventional);
	normalise_multiboot2(true, MEM_LOADER_GONE);
	check_runs("multiboot2, after exit", after_exit);
	normalise_efi(MEM_LOADER_GONE, DESCRIPTOR_BYTES);
	check_runs("after exit", after_exit);
}

/* Leaves the usable ranges of the map as the kernel would see it. */
static void run_map(const char *name, char *text, const json_t *expected)
{
	static const int e820_columns[] = {1, 2, 3, -1}, efi_columns[] = {1, 3, 4, 5, -1};
	bool is_e820 = has_suffix(name, ".e820.csv");

	read_lines(text, is_e820 ? e820_columns : efi_columns);
	if (is_e820)
		run_e820(expected);
	else
		run_efi(expected);
}

/* `verdict` as in malformed/INDEX.tsv, or "excerpt": right, but possibly without a usable page. */
void check_map_verdict(const char *folder, const char *name, const char *verdict)
{
	struct bytes file = read_file(folder, name);
	char stem[300];

	snprintf(stem, sizeof(stem), "%.*s.expected.json", (int)(strlen(name) - strlen(".csv")),
		name);
	json_t *expected = read_json(folder, stem);
	char *text = calloc(1, file.size_bytes + 1);
	memcpy(text, file.data, file.size_bytes);

	expect(expected, "no %s", stem);
	bool policy = !strcmp(verdict, "policy");
	run_map(name, text, policy ? NULL : expected);
	expect(strcmp(verdict, "accept") || result.nr_pages, "no usable page");
	expect(strcmp(verdict, "reject") || !result.nr_pages, "usable pages");
	free(text);
	free(file.data);
	json_decref(expected);
	input_end("%s%" PRIu64 " usable pages in %u runs of %u entries",
		policy ? "our choice: " : "", result.nr_pages, result.nr_ranges, nr_lines);
}

void check_map_file(const char *folder, const char *name)
{
	if (!has_suffix(name, ".csv"))
		return;
	input_begin(folder, name);

	check_map_verdict(folder, name, strstr(name, "excerpt") ? "excerpt" : "accept");
}
