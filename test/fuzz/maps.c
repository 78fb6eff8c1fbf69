/*
 * Fuzzes the way from a loader's memory map to pages with a node: the reader of each loader,
 * normalising, cutting by node. Beside each stands a slow model that asks all entries about each
 * stretch of addresses between two borders.
 *
 * Two kinds of input: raw entries as firmware has them, and small ones whose addresses lie close
 * together, so that they touch and overlap in all ways.
 */
#include <stdlib.h>
#include <string.h>

#include <dolmen/limits.h>
#include <dolmen/maps.h>
#include "mm/range.h"
#include "test/fuzz/fuzz.h"

#define MAX_RAW	    64
#define MAX_WANTED  1024 /* of the longest input: entries of 20 bytes and less */
#define MAX_MEMORY  24
#define MAX_BORDERS (4 * MAX_RAW + 8)

static struct mem_range raw[MAX_RAW], wanted[MAX_WANTED];
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

/*
 * What a map says, entry by entry and whatever room there is; a number is read byte by byte. Then
 * the ranges are compared: all in order, or without room as many as fit, and each reserved one.
 */
static struct mem_ranges found;
static unsigned nr_wanted, nr_wrong;

static uint64_t number(const uint8_t *at, unsigned size_bytes)
{
	uint64_t value = 0;

	while (size_bytes--)
		value = value << 8 | at[size_bytes];
	return value;
}

static void want_range(uint64_t start, uint64_t size, bool usable)
{
	if (!size || (start && size > UINT64_MAX - start + 1))
		nr_wrong++;
	else
		wanted[nr_wanted++] =
			(struct mem_range){start, size, usable ? MEM_USABLE : MEM_RESERVED};
}

static bool same(const struct mem_range *a, const struct mem_range *b)
{
	return a->start_bytes == b->start_bytes && a->size_bytes == b->size_bytes &&
	       a->kind == b->kind;
}

static bool is_in(const struct mem_range *range, const struct mem_range *in, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		if (same(range, &in[i]))
			return true;
	return false;
}

static void compare_wanted(void)
{
	unsigned nr_reserved = 0, nr_no_room = nr_wanted > found.max ? nr_wanted - found.max : 0;

	REQUIRE(found.nr == nr_wanted - nr_no_room && found.nr_invalid == nr_wrong &&
			found.nr_no_room == nr_no_room,
		"%u ranges, %u invalid, %u without room; not %u, %u, %u", found.nr,
		found.nr_invalid, found.nr_no_room, nr_wanted - nr_no_room, nr_wrong, nr_no_room);
	for (unsigned i = 0; i < found.nr; i++)
		REQUIRE(nr_no_room ? is_in(&raw[i], wanted, nr_wanted) : same(&raw[i], &wanted[i]),
			"range %u", i);
	for (unsigned i = 0; i < nr_wanted; i++)
		nr_reserved += wanted[i].kind != MEM_USABLE;
	for (unsigned i = 0; nr_reserved <= found.max && i < nr_wanted; i++)
		REQUIRE(wanted[i].kind == MEM_USABLE || is_in(&wanted[i], raw, found.nr),
			"reserved range %u is lost", i);
	nr_raw = found.nr;
}

static void want_e820(const uint8_t *entry)
{
	want_range(number(entry, 8), number(entry + 8, 8), number(entry + 16, 4) == 1);
}

static void want_efi(const uint8_t *entry, enum mem_phase phase)
{
	uint64_t wrong = 1ull << 15 | 1ull << 18 | 1ull << 63; /* NV, SP, RUNTIME */
	uint64_t pages = number(entry + 24, 8), attributes = number(entry + 32, 8);
	unsigned type = (unsigned)number(entry, 4);

	want_range(number(entry + 8, 8), pages > UINT64_MAX / 4096 ? 0 : pages * 4096,
		attributes & 8 && !(attributes & wrong) &&
			(type == 7 || (phase == MEM_LOADER_GONE && type >= 1 && type <= 4)));
}

static unsigned entries_in(size_t size_bytes, unsigned entry_bytes)
{
	unsigned nr = entry_bytes ? (unsigned)(size_bytes / entry_bytes) : 0;

	return nr < MAX_RAW ? nr : MAX_RAW;
}

static void read_e820(struct input *input, unsigned entry_bytes)
{
	unsigned nr = entries_in(input_left(input), entry_bytes);
	uint8_t *map = exact_copy(input->at, nr * entry_bytes);

	dolmen_ranges_e820(&found, map, nr, entry_bytes);
	for (unsigned i = 0; i < nr && entry_bytes >= 20; i++)
		want_e820(map + i * entry_bytes);
	free(map);
}

static void read_efi(struct input *input, unsigned entry_bytes, enum mem_phase phase)
{
	size_t size_bytes = input_left(input);
	uint8_t *map = exact_copy(input->at, size_bytes);

	dolmen_ranges_efi(&found, map, size_bytes, entry_bytes, phase);
	for (unsigned i = 0; entry_bytes >= 40 && i < size_bytes / entry_bytes; i++)
		want_efi(map + i * entry_bytes, phase);
	free(map);
}

static void want_tag(const uint8_t *tag, uint64_t size_bytes, enum mem_phase efi_phase)
{
	if (size_bytes < 16)
		return;
	uint64_t entry_bytes = number(tag + 8, 4), end = number(tag + 12, 4);

	if (number(tag, 4) == 3)
		want_range(entry_bytes, end < entry_bytes ? 0 : end - entry_bytes, false);
	for (uint64_t at = 16; number(tag, 4) == 6 && entry_bytes >= 20; at += entry_bytes) {
		if (at + entry_bytes > size_bytes)
			break;
		want_e820(tag + at);
	}
	for (uint64_t at = 16; number(tag, 4) == 17 && entry_bytes >= 40; at += entry_bytes) {
		if (at + entry_bytes > size_bytes)
			break;
		want_efi(tag + at, efi_phase);
	}
}

/*
 * Boot information of tags as they are, or with their kinds and sizes out of a few: the rest of the
 * bytes are the input's. It says a size of its own, at most what there is.
 */
static uint8_t *take_info(struct input *input, bool any_tags)
{
	static const uint8_t types[] = {0, 3, 6, 17, 18, 6, 17, 4};
	size_t size_bytes = input_left(input);
	uint8_t *info = exact_copy(input->at, size_bytes);

	if (number(info, 4) > size_bytes || !any_tags)
		memcpy(info, &(uint32_t){(uint32_t)size_bytes}, 4);
	for (size_t at = 8; !any_tags && at + 16 <= size_bytes;) {
		uint32_t type = types[info[at] % 8], step = info[at + 4] % 80 + 8;
		uint32_t entry_bytes = info[at + 8] % 8 * 4 + 20;

		memcpy(info + at, &type, 4);
		memcpy(info + at + 4, &step, 4);
		if (type != 3)
			memcpy(info + at + 8, &entry_bytes, 4);
		at += (step + 7) / 8 * 8;
	}
	return info;
}

static void read_multiboot2(struct input *input, bool any_tags, enum mem_phase phase)
{
	enum mem_phase efi_phase = phase;
	size_t end;

	if (input_left(input) < 8)
		return;
	uint8_t *info = take_info(input, any_tags);

	end = number(info, 4);
	dolmen_ranges_multiboot2(&found, info, 0x7000, phase);
	if (phase == MEM_LOADER_STAYS)
		want_range(0x7000, end, false);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint64_t at = 8, step; at + 8 <= end; at += (step + 7) / 8 * 8) {
			step = number(info + at + 4, 4);
			if (!number(info + at, 4) || step < 8 || step > end - at)
				break;
			if (pass)
				want_tag(info + at, step, efi_phase);
			else if (number(info + at, 4) == 18)
				efi_phase = MEM_LOADER_STAYS;
		}
	}
	free(info);
}

static void read_limine(struct input *input, enum mem_phase phase)
{
	unsigned nr = entries_in(input_left(input), 24);
	uint64_t(*map)[3] = (void *)exact_copy(input->at, nr * 24);
	const void *entries[MAX_RAW];

	for (unsigned i = 0; i < nr; i++) {
		entries[i] = map[i];
		map[i][2] &= UINT64_MAX >> (map[i][2] >> 60) * 4; /* often a small one */
		want_range(map[i][0], map[i][1],
			map[i][2] == 0 || (map[i][2] == 5 && phase == MEM_LOADER_GONE));
	}
	dolmen_ranges_limine(&found, entries, nr, phase);
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

	enum mem_phase phase = shape & 0x20 ? MEM_LOADER_GONE : MEM_LOADER_STAYS;

	found = (struct mem_ranges){.range = raw, .max = room & 0x10 ? room % 8 : MAX_RAW};
	nr_wanted = nr_wrong = nr_raw = 0;
	read_memory(&input, base);
	switch (shape % 4 | (room & 0x20) >> 3) {
	case 0:
	case 4:
		read_e820(&input, 20 + shape / 4 % 8 * 4 - (shape / 4 % 8 == 7 ? 29 : 0));
		break;
	case 1:
	case 5:
		read_efi(&input, 32 + shape / 4 % 8 * 4, phase);
		break;
	case 2:
		read_multiboot2(&input, shape & 4, phase);
		break;
	case 6:
		read_limine(&input, phase);
		break;
	default:
		read_small(&input, base);
	}
	if (shape % 4 != 3)
		compare_wanted();
	unsigned nr = check_normalise(DOLMEN_MAX_RANGES, ranges);

	if (nr)
		check_assign(ranges, nr, room & 0x80 ? nr + room % 4 : DOLMEN_MAX_RANGES);
	check_normalise(1 + room % 8, ranges);
}
