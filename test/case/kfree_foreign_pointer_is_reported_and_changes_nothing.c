#include <dolmen/page.h>
#include <dolmen/slab.h>
#include "mm/check.h"
#include "test/contract.h"

static uint64_t in_data = 0x0123456789abcdef;

EXACT_CONTRACT("a free of what kmalloc never gave is reported and changes nothing",
	"free_object does not look at the kind of the page, or addr_to_page at the end of the "
	"section table")
{
	uint64_t on_stack = 0xfedcba9876543210;
	void *page = __get_free_pages(GFP_KERNEL, 0);
	void *wild[] = {&on_stack, &in_data, (char *)page + 64, page, (void *)0x1000,
		(void *)0x7fffffff1000, (void *)0xffffffffffffff00, (void *)0x8000000000000000,
		port_phys_to_virt(0xfd00000000)};

	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		uint64_t reports = check_reports();

		kfree(wild[i]);
		CHECK(check_reports() == reports + 1, "%p: not reported", wild[i]);
		CHECK(!ksize(wild[i]), "%p has a size", wild[i]);
	}
	CHECK(on_stack == 0xfedcba9876543210 && in_data == 0x0123456789abcdef, "memory changed");
	free_pages(page, 0);
}
