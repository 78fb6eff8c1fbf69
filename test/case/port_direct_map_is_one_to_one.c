/* What a port says of addresses. */
#include <dolmen/numa.h>
#include <dolmen/page.h>
#include "test/contract.h"

#define KEPT_BITS ((1ul << 22) - 1)

static void check_block(const char *start, unsigned order)
{
	uint64_t phys = port_virt_to_phys(start);

	for (size_t at = 0; at < PAGE_SIZE << order; at += PAGE_SIZE / 2) {
		uint64_t here = port_virt_to_phys(start + at);

		CHECK(here == phys + at, "0x%lx, not 0x%lx", here, phys + at);
		CHECK(port_phys_to_virt(here) == start + at, "%p comes back as %p", start + at,
			port_phys_to_virt(here));
		CHECK(((uintptr_t)(start + at) & KEPT_BITS) == (here & KEPT_BITS),
			"%p is 0x%lx: other low bits", start + at, here);
	}
}

/* An address that is not in the direct map is never taken for a page that is. */
static void check_stranger(const void *address)
{
	struct page *page = virt_to_page(address);
	const void *start = page ? page_address(page) : NULL;

	CHECK(!page || (uintptr_t)start == (uintptr_t)address / PAGE_SIZE * PAGE_SIZE,
		"%p is taken for the page at %p", address, start);
}

CONTRACT("addresses of memory go both ways and keep their low 22 bits; others are no page's",
	"port_virt_to_phys() cuts off high bits")
{
	static const uint64_t high_bits[] = {1ul << 40, 1ul << 46, 1ul << 47, 0xffff8ul << 44,
		0xfffffffful << 32, 0xfffffffful << 31};
	char on_stack;

	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
		for (unsigned order = 0; order <= DOLMEN_MAX_ORDER; order++) {
			struct page *page = alloc_pages_node((int)nid, GFP_KERNEL, order);

			if (!page)
				continue;
			const char *start = page_address(page);

			check_block(start, order);
			for (unsigned i = 0; i < sizeof(high_bits) / sizeof(high_bits[0]); i++)
				check_stranger((const void *)((uintptr_t)start ^ high_bits[i]));
			__free_pages(page, order);
		}
	check_stranger(&on_stack);
	check_stranger(high_bits);
}
