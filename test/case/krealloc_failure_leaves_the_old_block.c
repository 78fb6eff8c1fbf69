#include <dolmen/init.h>

#include "test/slab_tools.h"

static const size_t sizes[] = {8, 100, 16384, 16385, 50000};

CONTRACT("krealloc that finds no memory returns NULL and leaves the old block as it was",
	"krealloc frees the old block first")
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		void *object = kmalloc_var(sizes[i], GFP_KERNEL);

		fill(object, sizes[i], i);
		dolmen_fail_pages(0, UINT64_MAX);
		void *moved = krealloc(object, 200000, GFP_KERNEL | __GFP_NOWARN);
		dolmen_fail_pages(0, 0);
		CHECK(!moved, "%zu bytes: memory from nowhere", sizes[i]);
		CHECK(ksize(object) >= sizes[i] && filled(object, sizes[i], i),
			"%zu bytes: the old block changed", sizes[i]);
		CHECK(!krealloc(object, KMALLOC_MAX_SIZE + 1, GFP_KERNEL | __GFP_NOWARN),
			"too large");
		CHECK(!krealloc(object, SIZE_MAX - 64, GFP_KERNEL | __GFP_NOWARN), "absurd");
		CHECK(filled(object, sizes[i], i), "%zu bytes: the old block changed", sizes[i]);
		moved = krealloc(object, 200000, GFP_KERNEL);
		CHECK(moved && filled(moved, sizes[i], i), "%zu bytes: not usable afterwards",
			sizes[i]);
		kfree(moved);
	}
	/* Shrinking needs no memory: where none is to be had the block stays what it is. */
	void *object = kmalloc(8192, GFP_KERNEL);
	fill(object, 8192, 1);
	dolmen_fail_pages(0, UINT64_MAX);
	void *small = krealloc(object, 10, GFP_KERNEL | __GFP_NOWARN);
	dolmen_fail_pages(0, 0);
	CHECK(small && filled(small, 10, 1), "a shrinking krealloc failed");
	kfree(small);
}
