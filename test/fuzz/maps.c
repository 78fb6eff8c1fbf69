/*
 * Fuzzes the way from a firmware's memory map to pages with a node: e820 and EFI readers,
 * normalising, cutting by node. Beside each stands a slow model that asks all entries about each
 * stretch of addresses between two borders.
 *
 * Two kinds of input: raw entries as firmware has them, and small ones whose addresses lie close
 * together, so that they touch and overlap in all ways.
 */
#include <stdlib.h>
#include <string.h>

#include <dolmen/limits.h>
#include "boot/e820.h"
#include "boot/efi_map.h"
#include "mm/range.h"
#include "test/fuzz/fuzz.h"

#define MAX_RAW	    64
#define MAX_MEMORY  24
#define MAX_BORDERS (4 * MAX_RAW + 8)

static struct mem_range raw[MAX_RAW], wanted[MAX_RAW];
static unsigned nr_raw;
static struct srat srat;

/* ---- borders ---- */

static uint64_t borders[MAX_BORDERS];
static unsigned nr_borders;

static void add_border(uint64_t at)
{
	borders[nr_borders++] = at;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static void sort_borders(void)
{
	unsigned nr = 0;

	qsort(borders, nr_borders, sizeof(borders[0]), compare_numbers);
	for (unsigned i = 0; i < nr_borders; i++)
		if (!nr || borders[nr - 1] != borders[i])
			borders[nr++] = borders[i];
	nr_borders = nr;
}

/* ---- readers ---- */

static uint64_t number(const uint8_t *at, unsigned size_bytes)
{
	uint64_t value = 0;

	while (size_bytes--)
		value = value << 8 | at[size_bytes];
	return value;
}

static void read_e820(struct input *input, unsigned entry_bytes)
{
	unsigned nr = (unsigned)(input_left(input) / (entry_bytes ? entry_bytes : 1));

	if (nr > MAX_RAW)
		nr = MAX_RAW;
	uint8_t *map = exact_copy(input->at, nr * entry_bytes);

	nr_raw = e820_ranges(map, nr, entry_bytes, raw, MAX_RAW);
	REQUIRE(nr_raw == (entry_bytes < 20 ? 0 : nr), "%u entries, not %u", nr_raw, nr);
	for (unsigned i = 0; i < nr_raw; i++) {
		const uint8_t *entry = map + i * entry_bytes;

		REQUIRE(raw[i].start_bytes == number(entry, 8) &&
				raw[i].size_bytes == number(entry + 8, 8) &&
				(raw[i].kind == MEM_USABLE) == (number(entry + 16, 4) == 1),
			"entry %u", i);
	}
	free(map);
}

static bool efi_usable(unsigned type, uint64_t attributes, bool after_exit)
{
	uint64_t wrong = 1ull << 15 | 1ull << 18 | 1ull << 63; /* NV, SP, RUNTIME */

	return attributes & 8 && !(attributes & wrong) &&
	       (type == 7 || (after_exit && type >= 1 && type <= 4));
}

static void read_efi(struct input *input, unsigned entry_bytes, bool after_exit)
{
	size_t size_bytes = input_left(input);
	uint8_t *map = exact_copy(input->at, size_bytes);
	struct efi_map_result result;
	unsigned nr = entry_bytes < 40 ? 0 : (unsigned)(size_bytes / entry_bytes), nr_wanted = 0;
	unsigned nr_no_room = 0, nr_invalid = 0;

	efi_map_ranges(map, size_bytes, entry_bytes,
		after_exit ? EFI_AFTER_EXIT : EFI_BOOT_SERVICES, raw, MAX_RAW, &result);
	nr_raw = result.nr_ranges;
	for (unsigned i = 0; i < nr; i++) {
		const uint8_t *entry = map + i * entry_bytes;
		uint64_t start = number(entry + 8, 8), pages = number(entry + 24, 8);
		bool fits = pages && pages <= UINT64_MAX / 4096 &&
			    (start == 0 || pages * 4096 - 1 <= UINT64_MAX - start);

		nr_invalid += !fits;
		nr_no_room += fits && nr_wanted == MAX_RAW;
		if (!fits || nr_wanted == MAX_RAW)
			continue;
		wanted[nr_wanted++] = (struct mem_range){start, pages * 4096,
			efi_usable((unsigned)number(entry, 4), number(entry + 32, 8), after_exit)
				? MEM_USABLE
				: MEM_RESERVED};
	}
	REQUIRE(nr_raw == nr_wanted && result.nr_invalid == nr_invalid &&
			result.nr_no_room == nr_no_room,
		"%u ranges, %u invalid, %u without room; not %u, %u, %u", nr_raw, result.nr_invalid,
		result.nr_no_room, nr_wanted, nr_invalid, nr_no_room);
	for (unsigned i = 0; i < nr_raw; i++)
		REQUIRE(raw[i].start_bytes == wanted[i].start_bytes &&
				raw[i].size_bytes == wanted[i].size_bytes &&
				raw[i].kind == wanted[i].kind,
			"descriptor %u", i);
	free(map);
}

/* Entries of 3 bytes: start, size in eighths of a page, kind. */
static void read_small(struct input *input, uint64_t base)
{
	for (nr_raw = 0; nr_raw < MAX_RAW && input_left(input) >= 3; nr_raw++) {
		raw[nr_raw].start_bytes = base + take8(input) * 512ull;
		raw[nr_raw].size_bytes = take8(input) * 512ull;
		raw[nr_raw].kind = take8(input) % 4 ? MEM_USABLE : MEM_RESERVED;
	}
}

/* ---- normalising ---- */

static bool is_valid(const struct mem_range *range)
{
	return range->size_bytes &&
	       range->start_bytes + (range->size_bytes - 1) >= range->start_bytes;
}

static bool byte_usable(uint64_t at)
{
	bool usable = false;

	for (unsigned i = 0; i < nr_raw; i++) {
		if (!is_valid(&raw[i]) || at < raw[i].start_bytes ||
			at - raw[i].start_bytes >= raw[i].size_bytes)
			continue;
		if (raw[i].kind != MEM_USABLE)
			return false;
		usable = true;
	}
	return usable;
}

/* All runs of whole usable pages, however many. */
static unsigned slow_ranges(struct pfn_range *out)
{
	unsigned nr = 0;
	bool in_run = false;
	uint64_t first = 0;

	nr_borders = 0;
	add_border(0);
	for (unsigned i = 0; i < nr_raw; i++) {
		if (!is_valid(&raw[i]))
			continue;
		add_border(raw[i].start_bytes);
		if (raw[i].start_bytes + raw[i].size_bytes)
			add_border(raw[i].start_bytes + raw[i].size_bytes);
	}
	sort_borders();
	for (unsigned i = 0; i <= nr_borders; i++) {
		bool usable = i < nr_borders && byte_usable(borders[i]);

		if (usable && !in_run)
			first = borders[i];
		if (!usable && in_run) {
			/* The byte after 2^64 - 1 is 0, and its page 2^52. */
			uint64_t end = i < nr_borders ? borders[i] / 4096 : 1ull << 52;
			uint64_t start = first / 4096 + !!(first % 4096);

			if (start < end)
				out[nr++] = (struct pfn_range){start, end, 0};
		}
		in_run = usable;
	}
	return nr;
}

/*
 * With room for all, exactly these; with less, the largest of them and a true account of the
 * rest.
 */
static unsigned check_normalise(unsigned max, struct pfn_range *got)
{
	static struct pfn_range want[2 * MAX_RAW + 1];
	unsigned nr_want = slow_ranges(want), at = 0, nr_invalid = 0;
	uint64_t pages = 0, kept = 0, smallest_kept = UINT64_MAX;
	struct range_result result;

	range_normalise(raw, nr_raw, got, max, &result);
	for (unsigned i = 0; i < nr_raw; i++)
		nr_invalid += raw[i].size_bytes && !is_valid(&raw[i]);
	REQUIRE(result.nr_ranges == (nr_want < max ? nr_want : max), "%u ranges of %u",
		result.nr_ranges, nr_want);
	REQUIRE(result.nr_dropped == nr_want - result.nr_ranges, "%u dropped", result.nr_dropped);
	REQUIRE(result.nr_invalid == nr_invalid, "%u invalid", result.nr_invalid);
	for (unsigned i = 0; i < result.nr_ranges; i++) {
		uint64_t size = got[i].end_pfn - got[i].start_pfn;

		if (size < smallest_kept)
			smallest_kept = size;
		kept += size;
	}
	for (unsigned i = 0; i < nr_want; i++) {
		uint64_t size = want[i].end_pfn - want[i].start_pfn;

		pages += size;
		if (at < result.nr_ranges && got[at].start_pfn == want[i].start_pfn) {
			REQUIRE(got[at].end_pfn == want[i].end_pfn && !got[at].nid, "range %u", at);
			at++;
		} else {
			REQUIRE(size <= smallest_kept, "a larger range was left out");
		}
	}
	REQUIRE(at == result.nr_ranges, "range %u is not there", at);
	REQUIRE(result.nr_pages == kept && result.nr_dropped_pages == pages - kept,
		"%lu pages and %lu left out, not %lu and %lu", result.nr_pages,
		result.nr_dropped_pages, kept, pages - kept);
	return result.nr_ranges;
}

/* ---- cutting by node ---- */

static int compare_memory(const void *a, const void *b)
{
	const struct srat_memory *left = a, *right = b;

	if (left->first_byte != right->first_byte)
		return left->first_byte < right->first_byte ? -1 : 1;
	if (left->last_byte != right->last_byte)
		return left->last_byte < right->last_byte ? -1 : 1;
	return left->nid - right->nid;
}

static void read_memory(struct input *input, uint64_t base)
{
	unsigned nr = take8(input) % (MAX_MEMORY + 1);

	srat.nr_nodes = 4;
	for (srat.nr_memory = 0; srat.nr_memory < nr; srat.nr_memory++) {
		struct srat_memory *memory = &srat.memory[srat.nr_memory];
		uint64_t size = 0;

		memory->first_byte = base + take8(input) * 1024ull;
		size = 1 + take8(input) * 1024ull;
		memory->nid = take8(input) % 4;
		if (memory->nid == 3 && nr % 2) /* far and wide */
			size <<= 40;
		memory->last_byte = memory->first_byte + (size - 1);
		if (memory->last_byte < memory->first_byte)
			memory->last_byte = UINT64_MAX;
	}
	qsort(srat.memory, srat.nr_memory, sizeof(srat.memory[0]), compare_memory);
}

/* The node of a page: -1 if two nodes claim it, otherwise the rule of mm/range.h. */
static int node_of(uint64_t pfn, bool *covered)
{
	const struct srat_memory *before = NULL;
	int nid = -2;

	for (unsigned i = 0; i < srat.nr_memory; i++) {
		const struct srat_memory *memory = &srat.memory[i];
		uint64_t first = pfn << PAGE_SHIFT;

		if (memory->first_byte <= first && first <= memory->last_byte) {
			if (nid != -2 && nid != memory->nid)
				return -1;
			nid = memory->nid;
		}
	}
	*covered = nid != -2;
	if (*covered)
		return nid;
	/* Of those that end before the page, by the first byte of the last page they have. */
	for (unsigned i = 0; i < srat.nr_memory; i++) {
		const struct srat_memory *memory = &srat.memory[i];
		uint64_t start = (memory->first_byte >> 12) + !!(memory->first_byte % 4096);
		uint64_t end = (memory->last_byte >> 12) + 1;

		if (start >= end || end > pfn)
			continue;
		if (!before || end > (before->last_byte >> 12) + 1)
			before = memory;
	}
	return before ? before->nid : srat.memory[0].nid;
}

static void check_assign(const struct pfn_range *in, unsigned nr_in, unsigned max)
{
	static struct pfn_range got[DOLMEN_MAX_RANGES];
	struct range_nodes result;
	bool any = false, covered, overlap = false;
	uint64_t uncovered = 0, misplaced = 0;
	unsigned at = 0;
	unsigned verdict = range_assign(in, nr_in, &srat, got, max, &result);

	nr_borders = 0;
	for (unsigned i = 0; i < srat.nr_memory; i++) {
		add_border(
			(srat.memory[i].first_byte >> 12) + !!(srat.memory[i].first_byte % 4096));
		add_border((srat.memory[i].last_byte >> 12) + 1);
	}
	for (unsigned i = 0; i < nr_in; i++) {
		add_border(in[i].start_pfn);
		add_border(in[i].end_pfn);
	}
	sort_borders();
	for (unsigned i = 0; srat.nr_memory && i < nr_in; i++) {
		for (unsigned b = 0; b + 1 < nr_borders; b++) {
			if (borders[b] < in[i].start_pfn || borders[b] >= in[i].end_pfn)
				continue;
			int nid = node_of(borders[b], &covered);

			overlap |= nid == -1;
			if (overlap)
				break;
			any |= covered;
			uncovered += covered ? 0 : borders[b + 1] - borders[b];
			if (verdict != ACPI_USABLE)
				continue;
			while (at < result.nr_ranges && got[at].end_pfn <= borders[b])
				at++;
			REQUIRE(at < result.nr_ranges && got[at].start_pfn <= borders[b] &&
					borders[b + 1] <= got[at].end_pfn,
				"page %lx is lost", borders[b]);
			if ((unsigned)nid != got[at].nid)
				misplaced += borders[b + 1] - borders[b];
		}
	}
	unsigned want = overlap ? SRAT_OVERLAP : any ? ACPI_USABLE : SRAT_MEMORY_NOWHERE;
	REQUIRE(verdict == want, "%s, not %s", acpi_verdict_text(verdict), acpi_verdict_text(want));
	if (verdict != ACPI_USABLE)
		return;
	REQUIRE(result.nr_ranges <= max, "%u ranges for %u", result.nr_ranges, max);
	REQUIRE(result.nr_uncovered_pages == uncovered, "%lu uncovered, not %lu",
		result.nr_uncovered_pages, uncovered);
	REQUIRE(!misplaced || result.nr_misplaced_pages, "%lu pages on a wrong node", misplaced);
	for (unsigned i = 1; i < result.nr_ranges; i++)
		REQUIRE(got[i - 1].end_pfn < got[i].start_pfn ||
				(got[i - 1].end_pfn == got[i].start_pfn &&
					got[i - 1].nid != got[i].nid) ||
				max == nr_in,
			"ranges %u and %u touch", i - 1, i);
}

void fuzz_one(const uint8_t *bytes, size_t size_bytes)
{
	static struct pfn_range ranges[DOLMEN_MAX_RANGES];
	struct input input = {bytes, bytes + size_bytes};
	unsigned shape = take8(&input), room = take8(&input);
	uint64_t base = shape & 0x80 ? UINT64_MAX - 0x1ffff : shape & 0x40 ? 0xfffff000 : 0;

	read_memory(&input, base);
	switch (shape % 4) {
	case 0:
		read_e820(&input, 20 + shape / 4 % 8 * 4 - (shape / 4 % 8 == 7 ? 29 : 0));
		break;
	case 1:
		read_efi(&input, 32 + shape / 4 % 8 * 4, shape & 0x20);
		break;
	default:
		read_small(&input, base);
	}
	unsigned nr = check_normalise(DOLMEN_MAX_RANGES, ranges);

	if (nr)
		check_assign(ranges, nr, room & 0x80 ? nr + room % 4 : DOLMEN_MAX_RANGES);
	check_normalise(1 + room % 8, ranges);
}
