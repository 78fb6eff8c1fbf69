/*
 * Start-up: the order in which the rooms come to life, and the account of every usable page.
 *
 * ranges -> nodes -> boot memory -> per-CPU areas, memmap -> page allocator -> slab. On the boot
 * CPU alone. Memory that comes later goes the same way in one call.
 *
 * Invariant, checked at the end of start-up: usable == managed + metadata + reserved. The four are
 * counted apart: usable by the ranges, metadata by the boot allocator, managed by the zones,
 * reserved where pages are given up.
 */
#include <dolmen/init.h>
#include <dolmen/version.h>

#include "lib/printf.h"
#include "mm/check.h"
#include "mm/log.h"
#include "mm/memblock.h"
#include "mm/memmap.h"
#include "mm/numa.h"
#include "mm/page_alloc.h"
#include "mm/percpu.h"
#include "mm/range.h"
#include "mm/rsdp.h"
#include "mm/slab.h"

/* Boot only; too large for a stack. */
static struct pfn_range normalised[DOLMEN_MAX_RANGES], by_node[DOLMEN_MAX_RANGES];

static uint64_t usable_pages, dropped_pages;
static uint64_t later_metadata; /* pages of dolmen_add_range() that hold struct pages */

void dolmen_memory(struct dolmen_memory *out)
{
	out->usable = port_load(&usable_pages);
	out->managed = 0;
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
		out->managed += page_alloc_managed(nid);
	out->metadata = memblock_taken() + port_load(&later_metadata);
	out->reserved = dropped_pages + page_alloc_lost();
	out->memmap = memmap_pages();
	out->free = numa_free_pages(NUMA_NO_NODE);
}

/* 1 GiB: 262144 pages, of which 4096, 1.56 per cent, are struct pages. */
static void say_memory(const struct dolmen_memory *memory)
{
	char usable[16], managed[16], metadata[16], reserved[16];
	uint64_t basis_points = memory->memmap * 10000 / memory->usable;

	mm_log("memory: %s usable = %s managed + %s metadata + %s reserved; memmap %lu.%02lu%%",
		format_bytes(usable, sizeof(usable), memory->usable << PAGE_SHIFT),
		format_bytes(managed, sizeof(managed), memory->managed << PAGE_SHIFT),
		format_bytes(metadata, sizeof(metadata), memory->metadata << PAGE_SHIFT),
		format_bytes(reserved, sizeof(reserved), memory->reserved << PAGE_SHIFT),
		basis_points / 100, basis_points % 100);
}

/*
 * The section table ends at the highest range, so one small range far away, an error of the
 * firmware as a rule, could cost more table than there is memory. A range must bring 8 times what
 * its distance costs: 1 MiB at 1 TiB would want 512 KiB of table, and is not used.
 */
static bool is_too_far(const struct pfn_range *range, uint64_t before_pfn)
{
	uint64_t nr_sections_more = (range->end_pfn - before_pfn) >> SECTION_PFN_SHIFT;
	uint64_t nr_pages = range->end_pfn - range->start_pfn;

	return range->end_pfn > PAGE_MAX_PFN ||
	       nr_sections_more * sizeof(*section_table) > nr_pages << PAGE_SHIFT >> 3;
}

static unsigned drop_far_ranges(unsigned nr_ranges)
{
	while (nr_ranges) {
		const struct pfn_range *last = &normalised[nr_ranges - 1];
		uint64_t nr_pages = last->end_pfn - last->start_pfn;

		if (!is_too_far(last, nr_ranges > 1 ? last[-1].end_pfn : last->start_pfn))
			break;
		mm_log("memory: %lu pages at 0x%lx are too far away to be used", nr_pages,
			last->start_pfn << PAGE_SHIFT);
		dropped_pages += nr_pages;
		nr_ranges--;
	}
	return nr_ranges;
}

/* Where the direct map begins at 0, page 0 has the address NULL, which nobody would believe. */
static uint64_t first_pfn(void)
{
	return port_phys_to_virt(0) ? 0 : 1;
}

/* Page 0 is the first of the first range, if it is in any. */
static unsigned drop_page_of_null(unsigned nr_ranges)
{
	if (!nr_ranges || normalised[0].start_pfn >= first_pfn())
		return nr_ranges;
	dropped_pages++;
	if (++normalised[0].start_pfn < normalised[0].end_pfn)
		return nr_ranges;
	for (unsigned i = 1; i < nr_ranges; i++)
		normalised[i - 1] = normalised[i];
	return nr_ranges - 1;
}

static unsigned find_ranges(const struct dolmen_init *init)
{
	struct range_result result;

	range_normalise(init->ranges, init->nr_ranges, normalised, DOLMEN_MAX_RANGES, &result);
	if (result.nr_invalid)
		mm_log("memory: %u ranges that pass 2^64 are ignored", result.nr_invalid);
	if (result.nr_dropped)
		mm_log("memory: %u ranges (%lu pages) past the limit of %u are not used",
			result.nr_dropped, result.nr_dropped_pages, DOLMEN_MAX_RANGES);
	usable_pages = result.nr_pages + result.nr_dropped_pages;
	dropped_pages = result.nr_dropped_pages;
	return drop_page_of_null(drop_far_ranges(result.nr_ranges));
}

/* Where the section table ends, for memory to come; 0: where the ranges end. */
static uint64_t find_max_pfn(uint64_t max_phys)
{
	uint64_t max_pfn = max_phys >> PAGE_SHIFT;
	uint64_t nr_table_bytes = (max_pfn >> SECTION_PFN_SHIFT) * sizeof(*section_table);

	if (max_pfn <= PAGE_MAX_PFN &&
		nr_table_bytes <= (usable_pages - dropped_pages) << PAGE_SHIFT >> 3)
		return max_pfn;
	mm_log("memory: later memory up to 0x%lx would want a table of more than an eighth of what "
	       "there is: none is made",
		max_phys);
	return 0;
}

/* As many as there are ids for, and areas for in half of the memory: 8 CPUs in 1 MiB. */
static unsigned limit_cpus(unsigned nr_cpus)
{
	uint64_t nr_areas = (usable_pages - dropped_pages) * PAGE_SIZE / 2 / DOLMEN_PERCPU_BYTES;
	unsigned limit = PORT_MAX_CPUS;

	if (nr_areas < limit)
		limit = nr_areas ? (unsigned)nr_areas : 1;
	if (nr_cpus <= limit)
		return nr_cpus ? nr_cpus : 1;
	mm_log("cpus: %u past the limit of %u are ignored%s", nr_cpus - limit, limit,
		limit < PORT_MAX_CPUS ? ", for want of memory" : "");
	return limit;
}

/* The tables behind the RSDP, if the host says nothing nearer of its nodes. */
static void find_tables(struct dolmen_init *init)
{
	struct acpi_tables tables;

	if (init->nodes || init->srat || !init->map)
		return;
	acpi_find(init->rsdp_phys, init->map, &tables);
	mm_log("acpi: %s, %u tables (%u unusable, %u repeated), SRAT %lu bytes, SLIT %lu",
		tables.root, tables.nr_tables, tables.nr_unusable, tables.nr_repeated,
		tables.srat.size_bytes, tables.slit.size_bytes);
	init->srat = tables.srat.bytes;
	init->srat_bytes = tables.srat.size_bytes;
	init->slit = tables.slit.bytes;
	init->slit_bytes = tables.slit.size_bytes;
}

bool dolmen_init(const struct dolmen_init *init)
{
	struct dolmen_init limited = *init;
	struct dolmen_memory memory;
	unsigned nr_ranges = find_ranges(init);

	report_panics = init->panic_on_report;
	if (!nr_ranges) {
		mm_log("memory: no usable page in %u ranges", init->nr_ranges);
		return false;
	}
	limited.nr_cpus = limit_cpus(init->nr_cpus);
	find_tables(&limited);
	nr_ranges = numa_init(&limited, normalised, nr_ranges, by_node);
	memblock_init(by_node, nr_ranges);
	if (!percpu_init(limited.nr_cpus) ||
		!memmap_init(by_node, nr_ranges, find_max_pfn(init->max_phys)) ||
		!page_alloc_init())
		return false;

	dolmen_memory(&memory);
	say_memory(&memory);
	if (memory.usable != memory.managed + memory.metadata + memory.reserved ||
		memory.free != memory.managed)
		port_panic("memory: the account of usable pages does not add up");
	check_init();
	return cache_init() && kmalloc_init();
}

#define TEXT_OF(number)		     #number
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *dolmen_version(void)
{
	return VERSION(DOLMEN_VERSION_MAJOR, DOLMEN_VERSION_MINOR, DOLMEN_VERSION_PATCH);
}

void dolmen_cpu_online(unsigned cpu)
{
	if (cpu >= numa_nr_cpus() || port_this_percpu() != percpu_ptr(0, cpu))
		port_panic("percpu: a CPU came online without its area");
}

/* The node that pages at `phys` go to, NUMA_NO_NODE if the host names one that is none. */
static int later_node(uint64_t phys, int nid)
{
	if (nid == NUMA_NO_NODE)
		return (int)numa_memory_node(phys);
	return (unsigned)nid < numa_nr_nodes() ? numa_fallback((unsigned)nid, 0) : NUMA_NO_NODE;
}

/* Why [start_pfn, end_pfn) cannot be memory; NULL: it can. */
static const char *later_refusal(uint64_t start_pfn, uint64_t end_pfn, int nid)
{
	if (start_pfn >= end_pfn)
		return "no whole page";
	if (end_pfn > port_load(&nr_sections) << SECTION_PFN_SHIFT)
		return "past dolmen_init.max_phys";
	if (nid == NUMA_NO_NODE)
		return "no such node";
	if (memmap_find_memory(start_pfn, end_pfn) < end_pfn)
		return "a part of it is memory already";
	return NULL;
}

uint64_t dolmen_add_range(uint64_t start_bytes, uint64_t size_bytes, int nid)
{
	const uint64_t end_bytes = start_bytes + size_bytes;
	struct pfn_range range = {
		.start_pfn = (start_bytes >> PAGE_SHIFT) + !!(start_bytes % PAGE_SIZE),
		.end_pfn = end_bytes < start_bytes ? UINT64_MAX : end_bytes >> PAGE_SHIFT,
	};
	if (range.start_pfn < first_pfn())
		range.start_pfn = first_pfn();
	uint64_t nr_pages = range.end_pfn - range.start_pfn, nr_taken = 0;
	int node = later_node(start_bytes, nid);
	const char *why = later_refusal(range.start_pfn, range.end_pfn, node);

	if (!why) {
		range.nid = (unsigned)node;
		nr_taken = memmap_extend(range.start_pfn, range.end_pfn, range.nid);
		if (nr_taken >= nr_pages)
			why = "its struct pages would take all of it";
	}
	if (why) {
		mm_log("memory: %lu bytes at 0x%lx are not added: %s", size_bytes, start_bytes,
			why);
		return 0;
	}
	port_store(&usable_pages, port_load(&usable_pages) + nr_pages);
	port_store(&later_metadata, port_load(&later_metadata) + nr_taken);
	range.start_pfn += nr_taken;
	page_alloc_add(&range);
	return nr_pages - nr_taken;
}
