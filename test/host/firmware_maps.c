/*
 * Compares what becomes of memory maps with NAME.expected.json: usable pages, and each run of them.
 */
#include "test/host/firmware.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dolmen/limits.h>
#include "boot/e820.h"
#include "boot/efi_map.h"
#include "mm/range.h"

#define MAX_ENTRIES 4096

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

/* ---- the two kinds of map, as the firmware would hand them over ---- */

static void put(uint8_t *to, uint64_t value, size_t size_bytes)
{
	memcpy(to, &value, size_bytes);
}

static void normalise_e820(void)
{
	size_t size_bytes = (size_t)nr_lines * E820_ENTRY_BYTES;
	uint8_t *map = calloc(1, size_bytes);

	for (unsigned i = 0; i < nr_lines; i++) {
		uint8_t *entry = map + (size_t)i * E820_ENTRY_BYTES;

		put(entry, lines[i].numbers[0], 8);
		put(entry + 8, lines[i].numbers[1], 8);
		put(entry + 16, lines[i].numbers[2], 4);
	}
	unsigned nr_raw = e820_ranges(map, nr_lines, E820_ENTRY_BYTES, raw, MAX_ENTRIES);
	free(map);
	expect(nr_raw == nr_lines, "%u entries, not %u", nr_raw, nr_lines);
	range_normalise(raw, nr_raw, ranges, DOLMEN_MAX_RANGES, &result);
}

static void normalise_efi(enum efi_map_phase phase, size_t descriptor_bytes)
{
	size_t size_bytes = nr_lines * descriptor_bytes;
	uint8_t *map = calloc(1, size_bytes);
	struct efi_map_result efi;

	for (unsigned i = 0; i < nr_lines; i++) {
		uint8_t *descriptor = map + i * descriptor_bytes;

		put(descriptor, lines[i].numbers[0], 4);
		put(descriptor + 8, lines[i].numbers[1], 8);
		put(descriptor + 24, lines[i].numbers[2], 8);
		put(descriptor + 32, lines[i].numbers[3], 8);
	}
	efi_map_ranges(map, size_bytes, descriptor_bytes, phase, raw, MAX_ENTRIES, &efi);
	free(map);
	expect(efi.nr_ranges + efi.nr_invalid == nr_lines && !efi.nr_no_room,
		"%u descriptors became %u ranges", nr_lines, efi.nr_ranges);
	range_normalise(raw, efi.nr_ranges, ranges, DOLMEN_MAX_RANGES, &result);
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

static void compare(const char *what, uint64_t have, const json_t *expected, const char *key)
{
	uint64_t want = field_u64(expected, key);

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
	expect(json_array_size(runs) == result.nr_ranges, "%s: %u runs", what, result.nr_ranges);
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

/* Leaves the usable ranges of the map as the kernel would see it. */
static void run_map(const char *name, char *text, const json_t *expected, bool compared)
{
	static const int e820_columns[] = {1, 2, 3, -1}, efi_columns[] = {1, 3, 4, 5, -1};

	if (has_suffix(name, ".e820.csv")) {
		read_lines(text, e820_columns);
		normalise_e820();
		if (compared) {
			compare("e820", nr_lines, expected, "entries");
			check_runs("e820", json_object_get(expected, "usable"));
		}
		return;
	}
	read_lines(text, efi_columns);
	normalise_efi(EFI_BOOT_SERVICES, OVMF_DESCRIPTOR_BYTES);
	if (compared) {
		compare("efi", nr_lines, expected, "entries");
		check_runs("conventional", json_object_get(expected, "conventional"));
	}
	normalise_efi(EFI_AFTER_EXIT, DESCRIPTOR_BYTES);
	if (compared)
		check_runs("after exit", json_object_get(expected, "after_ebs"));
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
	run_map(name, text, expected, expected && !policy);
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
