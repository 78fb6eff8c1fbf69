#include <dolmen/slab.h>
#include "test/contract.h"

CONTRACT("a request near SIZE_MAX, or a product that overflows, is NULL", "a page count that wraps")
{
	for (size_t less = 0; less <= 8192; less += 64)
		CHECK(!kmalloc_var(SIZE_MAX - less, GFP_KERNEL | __GFP_NOWARN), "SIZE_MAX - %zu",
			less);
	CHECK(!kmalloc_var(KMALLOC_MAX_SIZE + 1, GFP_KERNEL | __GFP_NOWARN),
		"one past the largest");
	CHECK(!kmalloc_array(SIZE_MAX / 8 + 1, 8, GFP_KERNEL), "product wraps to 0");
	CHECK(!kcalloc(1ul << 33, 1ul << 33, GFP_KERNEL), "product wraps");
	CHECK(!kmalloc_aligned(SIZE_MAX, 4096, GFP_KERNEL), "aligned");
	CHECK(!kmem_cache_create("absurd", SIZE_MAX - 7, 0, 0, NULL), "a cache of such objects");
	void *object = kmalloc(32, GFP_KERNEL);
	CHECK(!krealloc(object, SIZE_MAX, GFP_KERNEL | __GFP_NOWARN), "krealloc");
	CHECK(ksize(object) == 32, "the old block is gone");
	kfree(object);
}
