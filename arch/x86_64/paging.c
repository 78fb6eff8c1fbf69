/*
 * Page tables: see paging.h.
 *
 * Tables come from one stretch of usable memory below 4 GiB, counted out before the first is
 * written: the direct map's need exactly, and SPARE_TABLES for everything else. When that is used
 * up they come from the page allocator. Until the switch memory is reached one to one through the
 * loader's tables, afterwards through the direct map.
 *
 * With 5-level paging on (a loader's choice that long mode cannot undo) a further root points at
 * the same level-4 table for both ends of the address space: every address used here is canonical
 * with 48 bits.
 */
#include "arch/x86_64/paging.h"

#include <dolmen/page.h>
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/io.h"
#include "boot/boot_info.h"
#include "lib/string.h"
#include "mm/log.h"
#include "mm/range.h"

#define PTE_PRESENT    0x001ul
#define PTE_WRITE      0x002ul
#define PTE_THROUGH    0x008ul
#define PTE_UNCACHED   0x010ul
#define PTE_USED       0x060ul /* accessed and dirty: the CPU need not write them */
#define PTE_LARGE      0x080ul
#define PTE_NO_EXECUTE (1ul << 63)
#define PTE_ADDRESS    0x000ffffffffff000ul
#define CR4_LA57       (1ul << 12)

#define SHIFT_4K   12u
#define SHIFT_2M   21u
#define SHIFT_1G   30u
#define SHIFT_512G 39u

#define WINDOW_BASE  0xffffc00000000000ul
#define WINDOW_BYTES (64ul << 30)
#define STACKS_BASE  0xffffd00000000000ul
#define STACK_STRIDE 0x10000ul

#define SPARE_TABLES 24
#define TABLES_LIMIT                                                                               \
	(1ul << 32) /* where CR3 can be loaded in 32-bit mode, and PVH's first map ends */
#define LOW_LIMIT                                                                                  \
	0xa0000ul /* a start-up IPI names a page below 1 MiB; above this is video memory */

_Static_assert(sizeof(struct cpu_stacks) <= STACK_STRIDE, "stacks do not overlap");

static uint64_t direct_offset; /* of the pointer to a table: 0, later PORT_DIRECT_BASE */
static uint64_t next_table, tables_end;
static uint64_t root;	/* level 4 */
static uint64_t cr3;	/* root, or the level above it */
static uint64_t window; /* bytes of the window region in use */
static struct pfn_range usable[DOLMEN_MAX_RANGES];

extern char image_start[], text_start[], text_end[], rodata_start[], rodata_end[], image_end[];

static uint64_t *table_at(uint64_t phys)
{
	return (uint64_t *)(phys + direct_offset);
}

/* A zeroed table's physical address, or 0. */
static uint64_t new_table(void)
{
	uint64_t phys = next_table;

	if (next_table < tables_end) {
		next_table += PAGE_SIZE;
	} else {
		void *page = direct_offset ? __get_free_pages(GFP_KERNEL, 0) : NULL;

		if (!page)
			return 0;
		phys = port_virt_to_phys(page);
	}
	memset(table_at(phys), 0, PAGE_SIZE);
	return phys;
}

/*
 * The entry of `virt` in the table whose entries map 2^shift bytes, tables above it made as needed.
 * NULL: no memory.
 */
static uint64_t *entry_for(uint64_t virt, unsigned shift)
{
	uint64_t table = root;

	for (unsigned at = SHIFT_512G; at > shift; at -= 9) {
		uint64_t *entry = &table_at(table)[virt >> at & 511];

		if (!(*entry & PTE_PRESENT)) {
			uint64_t new = new_table();

			if (!new)
				return NULL;
			*entry = new | PTE_PRESENT | PTE_WRITE | PTE_USED;
		}
		table = *entry & PTE_ADDRESS;
	}
	return &table_at(table)[virt >> shift & 511];
}

static unsigned largest_shift(uint64_t virt, uint64_t phys, uint64_t bytes)
{
	uint64_t both = virt | phys;

	if (cpu_features.page_1g && !(both & ((1ul << SHIFT_1G) - 1)) && bytes >> SHIFT_1G)
		return SHIFT_1G;
	if (!(both & ((1ul << SHIFT_2M) - 1)) && bytes >> SHIFT_2M)
		return SHIFT_2M;
	return SHIFT_4K;
}

/* Whole pages, not yet mapped. */
static bool map(uint64_t virt, uint64_t phys, uint64_t bytes, unsigned flags, unsigned *nr_large)
{
	uint64_t bits = PTE_PRESENT | PTE_USED;

	if (flags & MAP_WRITE)
		bits |= PTE_WRITE;
	if (flags & MAP_DEVICE)
		bits |= PTE_UNCACHED | PTE_THROUGH;
	if (!(flags & MAP_EXEC) && cpu_features.nx)
		bits |= PTE_NO_EXECUTE;
	while (bytes) {
		unsigned shift = largest_shift(virt, phys, bytes);
		uint64_t *entry = entry_for(virt, shift);

		if (!entry)
			return false;
		*entry = phys | bits | (shift > SHIFT_4K ? PTE_LARGE : 0);
		if (nr_large)
			*nr_large += shift > SHIFT_4K;
		virt += 1ul << shift;
		phys += 1ul << shift;
		bytes -= 1ul << shift;
	}
	return true;
}

/*
 * How many tables the direct map of these sorted ranges takes: each table once, when its first
 * entry comes.
 */
static uint64_t count_tables(const struct pfn_range *ranges, unsigned nr_ranges)
{
	uint64_t nr = 0, last[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};

	for (unsigned i = 0; i < nr_ranges; i++) {
		uint64_t at = ranges[i].start_pfn << PAGE_SHIFT;
		uint64_t end = ranges[i].end_pfn << PAGE_SHIFT;

		while (at < end) {
			unsigned shift = largest_shift(PORT_DIRECT_BASE + at, at, end - at);

			for (unsigned level = shift; level < SHIFT_512G; level += 9) {
				unsigned n = (SHIFT_512G - 9 - level) / 9;

				if (last[n] != at >> (level + 9)) {
					last[n] = at >> (level + 9);
					nr++;
				}
			}
			at += 1ul << shift;
		}
	}
	return nr;
}

/* The image page by page: code, read-only data, the rest but for the boot CPU's guards. */
static bool map_image(void)
{
	const struct cpu boot = {.stacks = &boot_stacks};

	for (uintptr_t at = (uintptr_t)image_start; at < (uintptr_t)image_end; at += PAGE_SIZE) {
		unsigned flags = MAP_WRITE;

		if (at < (uintptr_t)text_start)
			flags = 0; /* the image's headers */
		else if (at < (uintptr_t)text_end)
			flags = MAP_EXEC;
		else if (at >= (uintptr_t)rodata_start && at < (uintptr_t)rodata_end)
			flags = 0;
		else if (cpu_stack_guard_hit(&boot, at))
			continue;
		if (!map(at, at, PAGE_SIZE, flags, NULL))
			return false;
	}
	return true;
}

/*
 * The top of the largest usable range that the loader itself does not use and that is below 4 GiB.
 * 0: none fits.
 */
static uint64_t take_tables(const struct boot_info *info, unsigned nr_ranges, uint64_t size_bytes)
{
	uint64_t low = info->free_phys, high = low + info->free_bytes, best = 0, best_bytes = 0;

	if (!info->free_bytes || high > TABLES_LIMIT)
		high = TABLES_LIMIT;
	if (low < 1ul << 20)
		low = 1ul << 20;
	for (unsigned i = 0; i < nr_ranges; i++) {
		uint64_t start = usable[i].start_pfn << PAGE_SHIFT;
		uint64_t end = usable[i].end_pfn << PAGE_SHIFT;

		start = start < low ? low : start;
		end = end > high ? high : end;
		if (end > start && end - start >= size_bytes && end - start > best_bytes) {
			best = end - size_bytes;
			best_bytes = end - start;
		}
	}
	return best;
}

/* Page 0 is left alone: its address means "none" here, and the BIOS's data is there. */
static uint64_t take_trampoline(unsigned nr_ranges)
{
	for (unsigned i = 0; i < nr_ranges; i++) {
		uint64_t start = usable[i].start_pfn << PAGE_SHIFT;

		start = start < PAGE_SIZE ? PAGE_SIZE : start;
		if (start < LOW_LIMIT && start < usable[i].end_pfn << PAGE_SHIFT)
			return start;
	}
	return 0;
}

static bool build(unsigned nr_ranges, struct paging_taken *taken)
{
	root = new_table();
	for (unsigned i = 0; i < nr_ranges; i++) {
		uint64_t start = usable[i].start_pfn << PAGE_SHIFT;
		uint64_t bytes = (usable[i].end_pfn << PAGE_SHIFT) - start;

		if (!map(PORT_DIRECT_BASE + start, start, bytes, MAP_WRITE, &taken->nr_large))
			return false;
		taken->direct_bytes += bytes;
	}
	if (!map_image())
		return false;
	cr3 = root;
	if (read_cr4() & CR4_LA57) {
		cr3 = new_table();
		if (!cr3)
			return false;
		table_at(cr3)[0] = root | PTE_PRESENT | PTE_WRITE | PTE_USED;
		table_at(cr3)[511] = root | PTE_PRESENT | PTE_WRITE | PTE_USED;
	}
	return true;
}

bool paging_init(const struct boot_info *info, struct paging_taken *taken)
{
	struct range_result result;

	range_normalise(info->ranges.range, info->ranges.nr, usable, DOLMEN_MAX_RANGES, &result);
	taken->tables_bytes = (count_tables(usable, result.nr_ranges) + SPARE_TABLES) * PAGE_SIZE;
	taken->tables_phys = take_tables(info, result.nr_ranges, taken->tables_bytes);
	if (!taken->tables_phys) {
		mm_log("paging: no %lu KiB of usable memory below 4 GiB",
			taken->tables_bytes >> 10);
		return false;
	}
	taken->trampoline_phys = take_trampoline(result.nr_ranges);
	next_table = taken->tables_phys;
	tables_end = next_table + taken->tables_bytes;
	if (!build(result.nr_ranges, taken)) {
		mm_log("paging: the tables were counted wrong");
		return false;
	}
	write_cr3(cr3);
	direct_offset = PORT_DIRECT_BASE;
	return true;
}

uint64_t paging_root(void)
{
	return cr3;
}

void *paging_map(uint64_t phys, size_t size_bytes, unsigned flags)
{
	uint64_t start = phys & ~(PAGE_SIZE - 1), limit = 1ul << cpu_features.phys_bits;

	if (!size_bytes || phys >= limit || size_bytes > limit - phys)
		return NULL;
	uint64_t bytes = (phys - start + size_bytes + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);

	if (bytes > WINDOW_BYTES - window)
		return NULL;
	uint64_t virt = WINDOW_BASE + window;

	window += bytes;
	return map(virt, start, bytes, flags, NULL) ? (void *)(virt + (phys - start)) : NULL;
}

bool paging_trampoline(uint64_t phys, bool present)
{
	uint64_t *entry = entry_for(phys, SHIFT_4K);

	if (!entry)
		return false;
	*entry = present ? phys | PTE_PRESENT | PTE_USED : 0;
	__asm__ volatile("invlpg (%0)" : : "r"(phys) : "memory");
	return true;
}

struct cpu_stacks *paging_new_stacks(unsigned cpu, int nid)
{
	struct cpu_stacks *stacks = (struct cpu_stacks *)(STACKS_BASE + cpu * STACK_STRIDE);
	const struct cpu owner = {.stacks = stacks};
	uint64_t start = (uintptr_t)stacks;

	for (uint64_t at = start; at < start + sizeof(*stacks); at += PAGE_SIZE) {
		if (cpu_stack_guard_hit(&owner, at))
			continue;
		struct page *page = alloc_pages_node(nid, GFP_KERNEL, 0);

		if (!page)
			return NULL;
		uint64_t phys = port_virt_to_phys(page_address(page));

		if (!map(at, phys, PAGE_SIZE, MAP_WRITE, NULL))
			return NULL;
	}
	return stacks;
}

bool paging_is_mapped(uint64_t virt)
{
	uint64_t table = root;

	if (!direct_offset)
		return virt >= PAGE_SIZE && virt < TABLES_LIMIT;
	if ((uint64_t)((int64_t)(virt << 16) >> 16) != virt)
		return false;
	for (unsigned at = SHIFT_512G;; at -= 9) {
		uint64_t entry = table_at(table)[virt >> at & 511];

		if (!(entry & PTE_PRESENT))
			return false;
		if (at == SHIFT_4K || entry & PTE_LARGE)
			return true;
		table = entry & PTE_ADDRESS;
	}
}
