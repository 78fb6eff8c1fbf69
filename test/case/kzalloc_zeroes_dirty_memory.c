#include "test/slab_tools.h"

CONTRACT("every zeroing call returns zeroes, in memory that was dirty a moment ago too",
	"slab_zeroed clears fewer bytes than the object has, or only new slabs are clear")
{
	for (size_t bytes = 1; bytes <= 70000; bytes += 1 + bytes / 5) {
		size_t nr = bytes % 7 + 1;
		void *dirty[6], *clear[6];

		for (unsigned i = 0; i < 6; i++) {
			dirty[i] = kmalloc_var(bytes * nr, GFP_KERNEL);
			fill(dirty[i], ksize(dirty[i]), i + 3);
		}
		for (unsigned i = 0; i < 6; i++)
			kfree(dirty[i]);
		clear[0] = kzalloc(bytes * nr, GFP_KERNEL);
		clear[1] = kcalloc(nr, bytes, GFP_KERNEL);
		clear[2] = kmalloc_node(bytes * nr, GFP_KERNEL | __GFP_ZERO, (int)cpu_to_mem(0));
		clear[3] = kmalloc_aligned(bytes * nr, 64, GFP_KERNEL | __GFP_ZERO);
		clear[4] = kmalloc_array(nr, bytes, GFP_KERNEL | __GFP_ZERO);
		clear[5] = kmalloc_var(bytes * nr, GFP_KERNEL | __GFP_ZERO | __GFP_THISNODE);
		for (unsigned i = 0; i < 6; i++) {
			CHECK(clear[i] && all_zero(clear[i], bytes * nr),
				"%zu bytes, call %u: dirty", bytes * nr, i);
			if (clear[i])
				fill(clear[i], bytes * nr, i);
			kfree(clear[i]);
		}
	}
	void *constant = kmalloc(96, GFP_KERNEL);
	fill(constant, 96, 1);
	kfree(constant);
	constant = kzalloc(96, GFP_KERNEL);
	CHECK(all_zero(constant, 96), "a constant size: dirty");
	kfree(constant);
}
