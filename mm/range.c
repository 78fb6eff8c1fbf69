/*
 * Memory ranges: see mm/range.h.
 *
 * range_normalise() runs before there is any memory to sort in, over input that it may not change.
 * So it walks up the address space from border to border and at each one asks all entries what they
 * say there: n^2 steps for n entries, which is 30 thousand for the 127 descriptors of a guest and 2
 * million for a thousand. All addresses are of first and last bytes: the byte after 2^64 - 1 has
 * none.
 */
#include "mm/range.h"

#include <dolmen/limits.h>

static bool is_valid(const struct mem_range *range)
{
	return range->size_bytes && range->size_bytes - 1 <= UINT64_MAX - range->start_bytes;
}

/* What the entries say about the bytes from `first` to `last`, of which all are alike. */
struct stretch {
	uint64_t first, last;
	bool usable;
};

static struct stretch stretch_at(const struct mem_range *raw, unsigned nr_raw, uint64_t first)
{
	struct stretch stretch = {.first = first, .last = UINT64_MAX};
	bool reserved = false;

	for (unsigned i = 0; i < nr_raw; i++) {
		if (!is_valid(&raw[i]))
			continue;
		uint64_t start = raw[i].start_bytes, last = start + (raw[i].size_bytes - 1);
		uint64_t border = start > first ? start - 1 : last;

		if (last < first)
			continue;
		if (border < stretch.last)
			stretch.last = border;
		if (start > first)
			continue;
		if (raw[i].kind == MEM_USABLE)
			stretch.usable = true;
		else
			reserved = true;
	}
	stretch.usable &= !reserved;
	return stretch;
}

static uint64_t nr_pages_in(const struct pfn_range *range)
{
	return range->end_pfn - range->start_pfn;
}

/*
 * Takes the smallest of all ranges out, or nothing if a new one of `nr_new_pages` is the smallest.
 */
static bool make_room(struct pfn_range *out, uint64_t nr_new_pages, struct range_result *result)
{
	unsigned smallest = 0;

	for (unsigned i = 1; i < result->nr_ranges; i++) {
		if (nr_pages_in(&out[i]) < nr_pages_in(&out[smallest]))
			smallest = i;
	}
	result->nr_dropped++;
	if (!result->nr_ranges || nr_pages_in(&out[smallest]) >= nr_new_pages) {
		result->nr_dropped_pages += nr_new_pages;
		return false;
	}
	result->nr_dropped_pages += nr_pages_in(&out[smallest]);
	result->nr_pages -= nr_pages_in(&out[smallest]);
	result->nr_ranges--;
	for (unsigned i = smallest; i < result->nr_ranges; i++)
		out[i] = out[i + 1];
	return true;
}

/* The whole pages among the bytes from `first` to `last`, which touch no other usable ones. */
static void add_run(struct pfn_range *out, unsigned max, uint64_t first, uint64_t last,
	struct range_result *result)
{
	uint64_t start_pfn = (first >> PAGE_SHIFT) + !!(first % PAGE_SIZE);
	uint64_t end_pfn = (last >> PAGE_SHIFT) + (last % PAGE_SIZE == PAGE_SIZE - 1);

	if (start_pfn >= end_pfn)
		return;
	if (result->nr_ranges == max && !make_room(out, end_pfn - start_pfn, result))
		return;
	out[result->nr_ranges++] =
		(struct pfn_range){.start_pfn = start_pfn, .end_pfn = end_pfn, .nid = 0};
	result->nr_pages += end_pfn - start_pfn;
}

void range_normalise(const struct mem_range *raw, unsigned nr_raw, struct pfn_range *out,
	unsigned max, struct range_result *result)
{
	struct stretch stretch = {.last = UINT64_MAX};
	uint64_t run_first = 0;
	bool in_run = false;

	*result = (struct range_result){0};
	for (unsigned i = 0; i < nr_raw; i++)
		result->nr_invalid += raw[i].size_bytes && !is_valid(&raw[i]);
	do {
		stretch = stretch_at(raw, nr_raw, stretch.last + 1);
		if (in_run && !stretch.usable)
			add_run(out, max, run_first, stretch.first - 1, result);
		if (!in_run)
			run_first = stretch.first;
		in_run = stretch.usable;
	} while (stretch.last != UINT64_MAX);
	if (in_run)
		add_run(out, max, run_first, UINT64_MAX, result);
}

/* ---- cutting by node ---- */

/*
 * The walk up the memory entries, which are sorted by first byte. Of the entries behind `next` two
 * ends say all: the last one, with its node, and the last one of any other node. A page before both
 * is claimed twice.
 */
struct cutter {
	const struct srat *srat;
	unsigned next;		/* first entry that begins after the page last asked for */
	uint64_t end_pfn;	/* 0: no entry is behind */
	uint64_t other_end_pfn; /* of the entries of other nodes than `nid` */
	uint32_t nid;
	struct pfn_range *out;
	unsigned max;
	unsigned nr_in_left; /* ranges that still need a place in `out` */
	struct range_nodes *result;
};

/* An entry has the pages whose first byte it holds; none, if it lies between two first bytes. */
static uint64_t entry_start_pfn(const struct srat_memory *entry)
{
	return (entry->first_byte >> PAGE_SHIFT) + !!(entry->first_byte % PAGE_SIZE);
}

static uint64_t entry_end_pfn(const struct srat_memory *entry)
{
	return (entry->last_byte >> PAGE_SHIFT) + 1;
}

/* Leaves behind all entries that begin at `pfn` or before. Returns where the next one begins. */
static uint64_t advance(struct cutter *cutter, uint64_t pfn)
{
	for (; cutter->next < cutter->srat->nr_memory; cutter->next++) {
		const struct srat_memory *entry = &cutter->srat->memory[cutter->next];
		uint64_t start_pfn = entry_start_pfn(entry), end_pfn = entry_end_pfn(entry);

		if (start_pfn > pfn)
			return start_pfn;
		if (start_pfn >= end_pfn)
			continue;
		if (entry->nid == cutter->nid || !cutter->end_pfn) {
			cutter->nid = entry->nid;
			if (end_pfn > cutter->end_pfn)
				cutter->end_pfn = end_pfn;
		} else if (end_pfn > cutter->end_pfn) {
			cutter->other_end_pfn = cutter->end_pfn;
			cutter->end_pfn = end_pfn;
			cutter->nid = entry->nid;
		} else if (end_pfn > cutter->other_end_pfn) {
			cutter->other_end_pfn = end_pfn;
		}
	}
	return UINT64_MAX;
}

static void add_piece(struct cutter *cutter, const struct pfn_range *piece, bool begins_range)
{
	struct range_nodes *result = cutter->result;
	struct pfn_range *last = begins_range ? NULL : &cutter->out[result->nr_ranges - 1];

	if (last && last->nid == piece->nid) {
		last->end_pfn = piece->end_pfn;
	} else if (last && result->nr_ranges + cutter->nr_in_left >= cutter->max) {
		last->end_pfn = piece->end_pfn;
		result->nr_misplaced_pages += piece->end_pfn - piece->start_pfn;
	} else {
		cutter->out[result->nr_ranges++] = *piece;
	}
}

/* False if a page of the range is claimed by two nodes. */
static bool cut_range(struct cutter *cutter, const struct pfn_range *range, bool *is_covered)
{
	struct pfn_range piece = {.start_pfn = range->start_pfn};

	while (piece.start_pfn < range->end_pfn) {
		piece.end_pfn = advance(cutter, piece.start_pfn);
		piece.nid = cutter->end_pfn ? cutter->nid : cutter->srat->memory[0].nid;
		if (piece.end_pfn > range->end_pfn)
			piece.end_pfn = range->end_pfn;
		if (cutter->other_end_pfn > piece.start_pfn)
			return false;
		if (cutter->end_pfn > piece.start_pfn) {
			*is_covered = true;
			if (piece.end_pfn > cutter->end_pfn)
				piece.end_pfn = cutter->end_pfn;
		} else {
			cutter->result->nr_uncovered_pages += piece.end_pfn - piece.start_pfn;
		}
		add_piece(cutter, &piece, piece.start_pfn == range->start_pfn);
		piece.start_pfn = piece.end_pfn;
	}
	return true;
}

enum acpi_verdict range_assign(const struct pfn_range *in, unsigned nr_in, const struct srat *srat,
	struct pfn_range *out, unsigned max, struct range_nodes *result)
{
	struct cutter cutter = {.srat = srat, .out = out, .max = max, .result = result};
	bool is_covered = false;

	*result = (struct range_nodes){0};
	for (unsigned i = 0; srat->nr_memory && i < nr_in; i++) {
		cutter.nr_in_left = nr_in - i - 1;
		if (!cut_range(&cutter, &in[i], &is_covered))
			return SRAT_OVERLAP;
	}
	return is_covered ? ACPI_USABLE : SRAT_MEMORY_NOWHERE;
}
