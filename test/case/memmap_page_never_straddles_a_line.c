/* Real addresses of struct pages, and what publishing would do to a wrong one. */
#include "mm/memmap.h"
#include "test/contract.h"

CONTRACT("no struct page straddles a cache line, and a memmap where one would is refused",
	"memmap_fits tests for 16 bytes")
{
	for (uint64_t section = 0; section < nr_sections; section++) {
		struct page *page = pfn_to_page(section << SECTION_PFN_SHIFT);

		if (!page)
			continue;
		CHECK(!((uintptr_t)page % DOLMEN_CACHE_LINE), "section %lu: %p", section,
			(void *)page);
		CHECK(page_pfn(page) == section << SECTION_PFN_SHIFT,
			"section %lu begins with pfn 0x%lx", section, page_pfn(page));
		CHECK(pfn_to_page(page_pfn(page)) == page, "section %lu does not lead back",
			section);
		page += (1ul << SECTION_PFN_SHIFT) - 1;
		CHECK(page_pfn(page) + 1 == (section + 1) << SECTION_PFN_SHIFT,
			"section %lu ends with pfn 0x%lx", section, page_pfn(page));
	}
	for (uintptr_t off = 8; off < DOLMEN_CACHE_LINE; off += 8)
		CHECK(!memmap_fits(1, (struct page *)(0x100000 + off)), "offset %lu is accepted",
			off);
	CHECK(test_log_has("straddles"), "no line says why");
	CHECK(memmap_fits(1, (struct page *)0x100000), "an aligned memmap is refused");
	CHECK(!memmap_fits(1, (struct page *)((1ul << SECTION_PFN_SHIFT) * sizeof(struct page))),
		"a memmap is accepted whose table entry would be 0");
}
