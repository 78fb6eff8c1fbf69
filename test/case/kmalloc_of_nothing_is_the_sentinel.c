/* A request for 0 bytes: NULL looks like failure, and a real object wastes memory and hides
 * overruns. */
#include "mm/check.h"
#include "test/slab_tools.h"

CONTRACT("a request for 0 bytes gives the one sentinel, which can be freed, measured and resized",
	"kmalloc_node does not look for 0")
{
	static volatile size_t none;
	uint64_t reports = check_reports();
	void *got[] = {kmalloc(0, GFP_KERNEL), kmalloc_var(none, GFP_KERNEL),
		kzalloc(none, GFP_KERNEL), kcalloc(0, 8, GFP_KERNEL), kcalloc(8, none, GFP_KERNEL),
		kmalloc_array(0, 0, GFP_KERNEL), kmalloc_node(none, GFP_KERNEL, 0),
		kmalloc_aligned(none, 4096, GFP_KERNEL), kmemdup("", none, GFP_KERNEL),
		krealloc(NULL, none, GFP_KERNEL),
		krealloc(kmalloc(64, GFP_KERNEL), none, GFP_KERNEL)};

	for (size_t i = 0; i < sizeof(got) / sizeof(got[0]); i++) {
		CHECK(got[i] == ZERO_SIZE_PTR, "call %zu gave %p", i, got[i]);
		CHECK(!ksize(got[i]), "call %zu: ksize %zu", i, ksize(got[i]));
		kfree(got[i]);
	}
	kfree_sensitive(ZERO_SIZE_PTR);
	void *grown = krealloc(ZERO_SIZE_PTR, 100, GFP_KERNEL);
	CHECK(!ZERO_OR_NULL_PTR(grown) && ksize(grown) >= 100, "krealloc of the sentinel: %p",
		grown);
	kfree(grown);
	CHECK(!kmalloc_size_roundup(0), "0 bytes are rounded up to %zu", kmalloc_size_roundup(0));
	CHECK(check_reports() == reports, "%lu reports", check_reports() - reports);
}
