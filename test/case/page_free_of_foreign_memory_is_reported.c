/* Addresses that the page allocator never gave out. */
#include "mm/memmap.h"
#include "mm/page_alloc.h"
#include "mm/percpu.h"
#include "test/contract.h"

static char of_the_image[2 * PAGE_SIZE] __attribute__((aligned(4096)));

CONTRACT("a free of memory that was never handed out is reported and changes nothing",
	"page_of rounds an address down to its page")
{
	struct page *page = alloc_pages(GFP_KERNEL, 0);
	const struct {
		const char *what;
		void *address;
	} foreign[] = {
		{"the image", of_the_image},
		{"a per-CPU area", percpu_ptr(0, 0)},
		{"the section table", (void *)((uintptr_t)section_table & ~(PAGE_SIZE - 1))},
		{"past the last section", port_phys_to_virt(nr_sections << PORT_SECTION_SHIFT)},
		{"the middle of a page", (char *)page_address(page) + 64},
		{"the end of the address space", (void *)-PAGE_SIZE},
	};
	uint64_t before = numa_free_pages(NUMA_NO_NODE);

	for (unsigned i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		test_log_clear();
		free_pages(foreign[i].address, 0);
		CHECK(test_log_has("wrong free"), "no report for %s", foreign[i].what);
	}
	CHECK(numa_free_pages(NUMA_NO_NODE) == before, "%lu pages are free, not %lu",
		numa_free_pages(NUMA_NO_NODE), before);
	free_pages(NULL, 0);
	__free_pages(page, 0);
}
