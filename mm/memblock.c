/*
 * The boot-time allocator: a sorted table of free ranges that shrinks from the top.
 *
 * It serves what the page allocator itself stands on: section table, memmap, zones, per-CPU areas.
 * Nothing is ever freed. It takes from the highest fitting range, because low memory is scarcer
 * (DMA32), and from a range's end, so the table never grows.
 *
 * Invariants: entries are sorted, disjoint, not empty, and each lies in one node; the pages of all
 * entries plus taken_pages are the pages given to memblock_init().
 */
#include "mm/memblock.h"

static struct pfn_range free_ranges[DOLMEN_MAX_RANGES];
static unsigned nr_free_ranges;
static uint64_t taken_pages;
static bool ended;

/* The rest of the last page opened for requests below a page. */
static struct {
	char *next;
	size_t left_bytes;
} crumbs[DOLMEN_MAX_NODES];

void memblock_init(const struct pfn_range *ranges, unsigned nr_ranges)
{
	for (unsigned i = 0; i < nr_ranges; i++)
		free_ranges[i] = ranges[i];
	nr_free_ranges = nr_ranges;
}

static void remove_entry(unsigned index)
{
	nr_free_ranges--;
	for (unsigned i = index; i < nr_free_ranges; i++)
		free_ranges[i] = free_ranges[i + 1];
}

static void *take_pages(uint64_t nr_pages, unsigned nid)
{
	for (unsigned i = nr_free_ranges; i-- > 0;) {
		struct pfn_range *range = &free_ranges[i];

		if (range->nid != nid || range->end_pfn - range->start_pfn < nr_pages)
			continue;
		range->end_pfn -= nr_pages;
		taken_pages += nr_pages;
		void *result = port_phys_to_virt(range->end_pfn << PAGE_SHIFT);
		if (range->start_pfn == range->end_pfn)
			remove_entry(i);
		return result;
	}
	return NULL;
}

void *memblock_alloc(size_t size_bytes, unsigned nid)
{
	if (ended)
		return NULL;
	if (size_bytes >= PAGE_SIZE)
		return take_pages((size_bytes + PAGE_SIZE - 1) >> PAGE_SHIFT, nid);

	size_bytes = (size_bytes + DOLMEN_CACHE_LINE - 1) & ~(size_t)(DOLMEN_CACHE_LINE - 1);
	if (crumbs[nid].left_bytes < size_bytes) {
		char *page = take_pages(1, nid);

		if (!page)
			return NULL;
		crumbs[nid].next = page;
		crumbs[nid].left_bytes = PAGE_SIZE;
	}
	char *result = crumbs[nid].next;

	crumbs[nid].next += size_bytes;
	crumbs[nid].left_bytes -= size_bytes;
	return result;
}

uint64_t memblock_taken(void)
{
	return taken_pages;
}

bool memblock_is_free(uint64_t start_pfn, uint64_t end_pfn)
{
	for (unsigned i = 0; i < nr_free_ranges; i++)
		if (free_ranges[i].start_pfn <= start_pfn && end_pfn <= free_ranges[i].end_pfn)
			return true;
	return false;
}

bool memblock_free_range(unsigned i, struct pfn_range *out)
{
	if (i >= nr_free_ranges)
		return false;
	*out = free_ranges[i];
	return true;
}

void memblock_end(void)
{
	ended = true;
}
