/* Sections without usable memory. */
#include <dolmen/init.h>
#include <dolmen/numa.h>
#include "mm/memmap.h"
#include "test/contract.h"

#define SECTION_PAGES (1ul << SECTION_PFN_SHIFT)

/* A kernel that maps memory one to one has pages for its own image, which are nobody's. */
static bool is_memory(const void *addr)
{
	const struct page *page = virt_to_page(addr);

	return page && (port_load(&page->pg_word) & PAGE_KIND_MASK) != PAGE_RESERVED;
}

CONTRACT("the memmap covers the sections with usable memory and no others, however far apart they "
	 "are",
	"memmap_init makes a memmap for each section up to the highest")
{
	struct dolmen_memory memory;
	uint64_t covered, bound, published = 0;

	dolmen_memory(&memory);
	covered = memory.memmap * (PAGE_SIZE / sizeof(struct page));
	/*
	 * A range enters and leaves a section at most once each; firmware splits a node into a few.
	 */
	bound = memory.usable + (16 + 4 * numa_nr_nodes()) * SECTION_PAGES;
	CHECK(covered >= memory.usable - memory.reserved, "%lu pages covered of %lu usable",
		covered, memory.usable);
	CHECK(covered <= bound, "%lu pages covered for %lu usable", covered, memory.usable);
	for (uint64_t section = 0; section < nr_sections; section++)
		published += port_load(&section_table[section]) != 0;
	CHECK(published * SECTION_PAGES <= covered, "%lu sections published, %lu pages covered",
		published, covered);
	CHECK(!pfn_to_page(nr_sections << SECTION_PFN_SHIFT), "a page past the last section");
	CHECK(!is_memory(&memory), "a page for the stack");
	CHECK(!is_memory(NULL), "a page for NULL");
	CHECK(!virt_to_page((void *)UINTPTR_MAX), "a page for the last address");
}
