/*
 * kfree() takes any pointer. What does not point into memory that the allocator manages must never
 * look as if it did.
 */
#include <dolmen/page.h>
#include "test/contract.h"

static char in_image;

CONTRACT("a pointer outside the direct map, or past its end, has no page",
	"port_virt_to_phys() masks the high bits off instead of subtracting")
{
	struct page *page = alloc_pages(GFP_KERNEL, 0);
	char on_stack;

	CHECK(page, "no memory");
	if (!page)
		return;
	uintptr_t inside = (uintptr_t)page_address(page);
	uint64_t phys = inside - PORT_DIRECT_BASE;

	CHECK(virt_to_page((void *)inside) == page, "the page's own address is not found");
	CHECK(virt_to_page((void *)(inside + PAGE_SIZE - 1)) == page, "nor its last byte");
	CHECK(!virt_to_page(NULL), "NULL has a page");
	CHECK(!virt_to_page(&in_image), "data of the image has a page");
	CHECK(!virt_to_page((void *)(uintptr_t)virt_to_page), "code has a page");
	CHECK(!virt_to_page(&on_stack) || port_virt_to_phys(&on_stack) < PORT_DIRECT_BYTES,
		"the stack has a page");
	CHECK(!virt_to_page((void *)phys), "its physical address has a page");
	for (unsigned bit = 46; bit < 64; bit++)
		CHECK(!virt_to_page((void *)(inside ^ 1ul << bit)),
			"with bit %u changed it has a page", bit);
	CHECK(!virt_to_page((void *)(PORT_DIRECT_BASE + PORT_DIRECT_BYTES - 1)),
		"the direct map's last byte has a page");
	CHECK(!virt_to_page((void *)(PORT_DIRECT_BASE - 1)), "the byte below it has a page");
	CHECK(!virt_to_page((void *)UINTPTR_MAX), "the last byte has a page");
	__free_pages(page, 0);
}
