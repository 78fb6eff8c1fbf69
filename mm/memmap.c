/*
 * The memmap: a struct page for each page frame, sparse by section.
 *
 * A section that any usable range touches has a whole memmap, and one that none touches has none:
 * its entry in section_table is 0, and a pointer into it is simply not ours. The memmap lies on the
 * section's own node.
 *
 * Sections that lie within one range form runs whose memmaps stand side by side. Memory for all of
 * them is set aside at boot, but a section of a run is initialised late, when its zone runs low, by
 * whichever CPU finds that out: a big machine boots without writing 1/64 of its memory. Only
 * sections that are not wholly free (at a range's edge, or holding boot allocations) are
 * initialised at boot. Until a section is published, none of its pages was given out.
 *
 * Memory that comes later brings the memmaps of its sections along, at its own start. What is
 * memory is told by the runs and the table: a section of a run is, whole; in another published one
 * each page that is not PAGE_RESERVED.
 *
 * Published means: table entry stored with release after all 2^SECTION_PFN_SHIFT pages are
 * initialised; pairs with the acquire in pfn_to_page(). Entries change once, from 0. A section of a
 * run is claimed by a compare-exchange on the run's cursor, so two CPUs may initialise two sections
 * of it at once.
 */
#include "mm/memmap.h"

#include <dolmen/range.h>
#include "lib/memory.h"
#include "mm/log.h"
#include "mm/memblock.h"
#include "mm/numa.h"

#define SECTION_PAGES (1ul << SECTION_PFN_SHIFT)
#define MEMMAP_BYTES  (SECTION_PAGES * sizeof(struct page))

_Static_assert(MEMMAP_BYTES % PAGE_SIZE == 0, "a section's memmap is whole pages");
_Static_assert(32 >= PORT_SECTION_SHIFT, "a section lies in one zone");

struct section_run {
	uint64_t start, end; /* sections, end excluded */
	uint64_t sr_next;    /* the next one to look at; by compare-exchange */
	struct page *memmap; /* of `start` */
	uint32_t nid;
};

uintptr_t *section_table;
uint64_t nr_sections;

static struct section_run *runs;
static unsigned nr_runs, max_runs;
static uint64_t nr_memmap_pages;
static uint64_t nr_missing; /* sections that no memmap could be found for */

static enum zone_id pfn_zone(uint64_t pfn)
{
	return pfn < ZONE_NORMAL_PFN ? ZONE_DMA32 : ZONE_NORMAL;
}

static uint64_t min_pfn(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t page_word(uint64_t pfn, unsigned nid, enum page_kind kind)
{
	return (uint64_t)pfn_zone(pfn) << PAGE_ZONE_SHIFT | (uint64_t)nid << PAGE_NODE_SHIFT | kind;
}

bool memmap_fits(uint64_t section, const struct page *memmap)
{
	uintptr_t address = (uintptr_t)memmap;

	if (address % DOLMEN_CACHE_LINE) {
		mm_log("memmap: section %lu refused, its memmap at %p straddles cache lines",
			section, (const void *)memmap);
		return false;
	}
	if (address == (section << SECTION_PFN_SHIFT) * sizeof(struct page)) {
		mm_log("memmap: section %lu refused, its table entry would say that there is none",
			section);
		return false;
	}
	return true;
}

/* Fills a section's memmap, which is still private, and makes it visible. */
static void publish(uint64_t section, struct page *memmap, unsigned nid, enum page_kind kind)
{
	uint64_t pfn = section << SECTION_PFN_SHIFT;
	struct page blank;

	memset(&blank, 0, sizeof(blank));
	port_store(&blank.pg_word, page_word(pfn, nid, kind));
	port_store(&blank.pg_order, (uint8_t)PAGE_NOT_HEAD);
	port_store(&blank.pg_pfn_high, (uint16_t)(pfn >> 32));
	for (uint64_t i = 0; i < SECTION_PAGES; i++) {
		port_store(&blank.pg_pfn_low, (uint32_t)(pfn + i));
		memmap[i] = blank;
	}
	port_store_release(&section_table[section], (uintptr_t)memmap - pfn * sizeof(struct page));
}

static void set_words(uint64_t start_pfn, uint64_t end_pfn, unsigned nid, enum page_kind kind)
{
	struct page *page = pfn_to_page(start_pfn);

	for (uint64_t pfn = start_pfn; pfn < end_pfn; pfn++, page++)
		port_store(&page->pg_word, page_word(pfn, nid, kind));
}

/*
 * Memory for the memmaps of sections [start, end), all within one range of `nid`, in as few pieces
 * as there is room for. Sections for which there is none stay without.
 */
static void add_runs(uint64_t start, uint64_t end, unsigned nid)
{
	uint64_t piece = end - start;

	while (start < end && piece && nr_runs < max_runs) {
		if (piece > end - start)
			piece = end - start;
		struct page *memmap = numa_boot_alloc(piece * MEMMAP_BYTES, nid, false);

		if (!memmap) {
			piece /= 2;
			continue;
		}
		nr_memmap_pages += piece * MEMMAP_BYTES >> PAGE_SHIFT;
		if (memmap_fits(start, memmap) &&
			memmap_fits(start + piece - 1, memmap + (piece - 1) * SECTION_PAGES))
			runs[nr_runs++] = (struct section_run){.start = start,
				.end = start + piece,
				.sr_next = start,
				.memmap = memmap,
				.nid = nid};
		start += piece;
	}
	nr_missing += end - start;
}

/*
 * Part of a range, in a section that the range does not fill: the section gets a memmap of its own,
 * at once, on the node of the first range that touches it, but each range's pages name their own
 * node.
 */
static void add_edge(uint64_t start_pfn, uint64_t end_pfn, unsigned nid)
{
	uint64_t section = start_pfn >> SECTION_PFN_SHIFT;

	if (!port_load(&section_table[section])) {
		struct page *memmap = numa_boot_alloc(MEMMAP_BYTES, nid, false);

		if (!memmap) {
			nr_missing++;
			return;
		}
		nr_memmap_pages += MEMMAP_BYTES >> PAGE_SHIFT;
		if (!memmap_fits(section, memmap))
			return;
		publish(section, memmap, nid, PAGE_RESERVED);
	}
	set_words(start_pfn, end_pfn, nid, PAGE_USED);
}

bool memmap_init(const struct pfn_range *ranges, unsigned nr_ranges, uint64_t max_pfn)
{
	const uint64_t zone_section = ZONE_NORMAL_PFN >> SECTION_PFN_SHIFT;
	const unsigned spare_runs = 64;

	if (max_pfn < ranges[nr_ranges - 1].end_pfn)
		max_pfn = ranges[nr_ranges - 1].end_pfn;
	port_store(&nr_sections, ((max_pfn - 1) >> SECTION_PFN_SHIFT) + 1);
	section_table = numa_boot_alloc(nr_sections * sizeof(*section_table), ranges[0].nid, true);
	max_runs = 2 * nr_ranges + spare_runs;
	runs = numa_boot_alloc(max_runs * sizeof(*runs), ranges[0].nid, true);
	if (!section_table || !runs) {
		mm_log("memmap: no memory for a table of %lu sections", nr_sections);
		return false;
	}

	for (unsigned i = 0; i < nr_ranges; i++) {
		const struct pfn_range *range = &ranges[i];
		uint64_t start = (range->start_pfn + SECTION_PAGES - 1) >> SECTION_PFN_SHIFT;
		uint64_t end = range->end_pfn >> SECTION_PFN_SHIFT;

		if (range->start_pfn < start << SECTION_PFN_SHIFT)
			add_edge(range->start_pfn,
				min_pfn(start << SECTION_PFN_SHIFT, range->end_pfn), range->nid);
		if (start < zone_section && end > zone_section) {
			add_runs(start, zone_section, range->nid);
			start = zone_section;
		}
		if (start < end)
			add_runs(start, end, range->nid);
		if (end >= start && end << SECTION_PFN_SHIFT < range->end_pfn)
			add_edge(end << SECTION_PFN_SHIFT, range->end_pfn, range->nid);
	}
	if (nr_missing)
		mm_log("memmap: no memory for the struct pages of %lu sections, whose pages stay "
		       "unused",
			nr_missing);
	return true;
}

void memmap_init_edges(void)
{
	for (unsigned i = 0; i < nr_runs; i++)
		for (uint64_t section = runs[i].start; section < runs[i].end; section++)
			if (!memblock_is_free(section << SECTION_PFN_SHIFT,
				    (section + 1) << SECTION_PFN_SHIFT))
				publish(section,
					runs[i].memmap + (section - runs[i].start) * SECTION_PAGES,
					runs[i].nid, PAGE_USED);
}

bool memmap_init_late(unsigned nid, enum zone_id zone, uint64_t *first_pfn)
{
	for (unsigned i = 0; i < nr_runs; i++) {
		struct section_run *run = &runs[i];
		uint64_t section = port_load(&run->sr_next);

		if (run->nid != nid || pfn_zone(run->start << SECTION_PFN_SHIFT) != zone)
			continue;
		while (section < run->end) {
			if (!port_cas(&run->sr_next, &section, section + 1))
				continue;
			if (!port_load(&section_table[section])) {
				publish(section,
					run->memmap + (section - run->start) * SECTION_PAGES, nid,
					PAGE_USED);
				*first_pfn = section << SECTION_PFN_SHIFT;
				return true;
			}
			section++;
		}
	}
	return false;
}

uint64_t memmap_late_pages(unsigned nid, enum zone_id zone)
{
	uint64_t nr_pages = 0;

	for (unsigned i = 0; i < nr_runs; i++) {
		if (runs[i].nid != nid || pfn_zone(runs[i].start << SECTION_PFN_SHIFT) != zone)
			continue;
		for (uint64_t section = runs[i].start; section < runs[i].end; section++)
			if (!port_load(&section_table[section]))
				nr_pages += SECTION_PAGES;
	}
	return nr_pages;
}

static bool is_in_run(uint64_t section)
{
	for (unsigned i = 0; i < nr_runs; i++)
		if (section >= runs[i].start && section < runs[i].end)
			return true;
	return false;
}

/* Where the section of `pfn` ends, or the range that ends at `end_pfn`. */
static uint64_t part_end(uint64_t pfn, uint64_t end_pfn)
{
	return min_pfn((pfn | (SECTION_PAGES - 1)) + 1, end_pfn);
}

uint64_t memmap_find_memory(uint64_t start_pfn, uint64_t end_pfn)
{
	for (uint64_t pfn = start_pfn; pfn < end_pfn; pfn = part_end(pfn, end_pfn)) {
		struct page *page = pfn_to_page(pfn);

		if (is_in_run(pfn >> SECTION_PFN_SHIFT))
			return pfn;
		for (uint64_t i = pfn; page && i < part_end(pfn, end_pfn); i++, page++)
			if (page_kind(port_load(&page->pg_word)) != PAGE_RESERVED)
				return i;
	}
	return end_pfn;
}

uint64_t memmap_extend(uint64_t start_pfn, uint64_t end_pfn, unsigned nid)
{
	const uint64_t section_memmap_pages = MEMMAP_BYTES >> PAGE_SHIFT;
	struct page *memmap = port_phys_to_virt(start_pfn << PAGE_SHIFT);
	uint64_t nr_taken = 0;

	for (uint64_t pfn = start_pfn; pfn < end_pfn; pfn = part_end(pfn, end_pfn))
		if (!pfn_to_page(pfn)) {
			if (!memmap_fits(pfn >> SECTION_PFN_SHIFT,
				    memmap + nr_taken / section_memmap_pages * SECTION_PAGES))
				return end_pfn - start_pfn;
			nr_taken += section_memmap_pages;
		}
	if (nr_taken >= end_pfn - start_pfn)
		return nr_taken;
	for (uint64_t pfn = start_pfn; pfn < end_pfn; pfn = part_end(pfn, end_pfn)) {
		if (!pfn_to_page(pfn)) {
			publish(pfn >> SECTION_PFN_SHIFT, memmap, nid, PAGE_RESERVED);
			memmap += SECTION_PAGES;
		}
		set_words(pfn, part_end(pfn, end_pfn), nid, PAGE_USED);
	}
	port_store(&nr_memmap_pages, port_load(&nr_memmap_pages) + nr_taken);
	return nr_taken;
}

uint64_t memmap_pages(void)
{
	return port_load(&nr_memmap_pages);
}
