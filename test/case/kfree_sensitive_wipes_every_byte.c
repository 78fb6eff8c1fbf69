#include "test/slab_tools.h"

CONTRACT("kfree_sensitive leaves zeroes in every byte that the object had, whatever was asked for",
	"kfree_sensitive wipes half of the object")
{
	for (size_t bytes = 1; bytes <= 8192; bytes += 1 + bytes / 10) {
		void *object = kmalloc_var(bytes, GFP_KERNEL);
		size_t usable = ksize(object);

		fill(object, usable, 9);
		kfree_sensitive(object);
		void *again = kmalloc_var(bytes, GFP_KERNEL);
		CHECK(again == object, "%zu bytes: another object came next", bytes);
		CHECK(all_zero(again, usable), "%zu bytes: not wiped", bytes);
		kfree(again);
	}
	unsigned char *large = kmalloc_var(3 * PAGE_SIZE, GFP_KERNEL);
	fill(large, 4 * PAGE_SIZE, 9);
	kfree_sensitive(large);
	/* Free pages stay mapped; their first bytes may serve as links. */
	CHECK(all_zero(large + 64, 4 * PAGE_SIZE - 64), "a large block: not wiped");
}
