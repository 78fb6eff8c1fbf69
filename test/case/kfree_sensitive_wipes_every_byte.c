#include "test/slab_tools.h"

EXACT_CONTRACT(
	"kfree_sensitive leaves zeroes in every byte that the object had, whatever was asked for",
	"kfree_sensitive wipes half of the object")
{
	for (size_t bytes = 1; bytes <= KMALLOC_MAX_CACHE_SIZE; bytes += 1 + bytes / 10) {
		void *object = kmalloc_var(bytes, GFP_KERNEL);
		size_t usable = ksize(object);

		fill(object, usable, 9);
		kfree_sensitive(object);
		void *again = kmalloc_var(bytes, GFP_KERNEL);
		CHECK(again == object, "%zu bytes: another object came next", bytes);
		CHECK(all_zero(again, usable), "%zu bytes: not wiped", bytes);
		kfree(again);
	}
	void *large = kmalloc_var(5 * PAGE_SIZE, GFP_KERNEL);
	fill(large, 8 * PAGE_SIZE, 9);
	kfree_sensitive(large);
	void *again = kmalloc_var(5 * PAGE_SIZE, GFP_KERNEL);
	CHECK(again == large, "another large block came next");
	CHECK(all_zero(again, 8 * PAGE_SIZE), "a large block: not wiped");
	kfree(again);
}
