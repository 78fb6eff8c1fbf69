/*
 * The handover of memory to the zones, from the boot allocator and from the host later, and the
 * counts of what the zones have.
 *
 * What is free in memblock at the end of start-up becomes free in the zones, in the largest blocks
 * that alignment allows. Whole free sections stay uninitialised (mm/memmap.c) and are only counted;
 * the rest is initialised and added here. After that memblock gives out nothing more.
 */
#include "mm/page_alloc.h"

#include "mm/log.h"
#include "mm/memblock.h"
#include "mm/numa.h"
#include "mm/pcp.h"

static uint64_t nr_lost_pages; /* written at boot only */

static uint64_t node_free_pages(unsigned nid)
{
	uint64_t nr_pages = pcp_pages(nid);

	for (unsigned id = 0; node_zones[nid] && id < NR_ZONES; id++)
		nr_pages += port_load(&node_zones[nid][id].zn_free) +
			    port_load(&node_zones[nid][id].zn_late);
	return nr_pages;
}

uint64_t numa_free_pages(int nid)
{
	uint64_t nr_pages = 0;

	if (nid != NUMA_NO_NODE)
		return (unsigned)nid < numa_nr_nodes() ? node_free_pages((unsigned)nid) : 0;
	for (unsigned i = 0; i < numa_nr_nodes(); i++)
		nr_pages += node_free_pages(i);
	return nr_pages;
}

uint64_t page_alloc_managed(unsigned nid)
{
	uint64_t nr_pages = 0;

	for (unsigned id = 0; node_zones[nid] && id < NR_ZONES; id++)
		nr_pages += port_load(&node_zones[nid][id].zn_managed);
	return nr_pages;
}

/*
 * 1/256 of the zone, 4 MiB at most, is for __GFP_HIGH alone. 1 GiB: 1024 pages; low 1280, high
 * 1536.
 */
static void set_marks(struct zone *zone)
{
	uint64_t min = port_load(&zone->zn_managed) / 256;

	if (min > 1024)
		min = 1024;
	port_store(&zone->zn_marks[MARK_MIN], min);
	port_store(&zone->zn_marks[MARK_LOW], min + min / 4);
	port_store(&zone->zn_marks[MARK_HIGH], min + min / 2);
}

/*
 * One section's part of a free range. Pages without a memmap are those of late sections, or lost
 * for want of memory.
 */
static void hand_over(uint64_t start_pfn, uint64_t end_pfn, unsigned nid)
{
	enum zone_id id = start_pfn < ZONE_NORMAL_PFN ? ZONE_DMA32 : ZONE_NORMAL;
	struct zone *zone = &node_zones[nid][id];

	if (!pfn_to_page(start_pfn)) {
		nr_lost_pages += end_pfn - start_pfn;
		return;
	}
	buddy_add(zone, start_pfn, end_pfn);
	port_store(&zone->zn_managed, port_load(&zone->zn_managed) + end_pfn - start_pfn);
}

static void hand_over_range(const struct pfn_range *range)
{
	const uint64_t section_mask = (1ul << SECTION_PFN_SHIFT) - 1;

	for (uint64_t pfn = range->start_pfn, end_pfn; pfn < range->end_pfn; pfn = end_pfn) {
		end_pfn = (pfn | section_mask) + 1;
		if (end_pfn > range->end_pfn)
			end_pfn = range->end_pfn;
		hand_over(pfn, end_pfn, range->nid);
	}
}

static void finish_node(unsigned nid)
{
	for (unsigned id = 0; id < NR_ZONES; id++) {
		struct zone *zone = &node_zones[nid][id];
		uint64_t late = memmap_late_pages(nid, id);

		nr_lost_pages -= late;
		port_store(&zone->zn_late, late);
		port_store(&zone->zn_managed, port_load(&zone->zn_managed) + late);
		set_marks(zone);
	}
	if (!page_alloc_managed(nid))
		numa_forget_memory(nid);
}

bool page_alloc_init(void)
{
	struct pfn_range range;

	if (!buddy_init())
		return false;
	memblock_end();
	memmap_init_edges();
	for (unsigned i = 0; memblock_free_range(i, &range); i++)
		hand_over_range(&range);
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
		if (node_zones[nid])
			finish_node(nid);
	if (numa_fallback(0, 0) == NUMA_NO_NODE) {
		mm_log("page_alloc: metadata took all memory");
		return false;
	}
	return pcp_init();
}

void page_alloc_add(const struct pfn_range *range)
{
	hand_over_range(range);
	for (unsigned id = 0; id < NR_ZONES; id++)
		set_marks(&node_zones[range->nid][id]);
}

uint64_t page_alloc_lost(void)
{
	return nr_lost_pages;
}
