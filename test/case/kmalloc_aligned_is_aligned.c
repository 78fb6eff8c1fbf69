#include "test/slab_tools.h"

static const size_t sizes[] = {1, 8, 17, 100, 129, 1000, 4096, 5000, 8192, 9000, 70000, 1ul << 21};

CONTRACT(
	"kmalloc_aligned honours every power of two that can be met, and gives NULL for the others",
	"kmalloc_aligned takes the class of the size when the alignment is larger")
{
	for (size_t align = 1; align <= KMALLOC_MAX_SIZE; align *= 2) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			void *objects[3];

			for (unsigned n = 0; n < 3; n++) {
				objects[n] =
					kmalloc_aligned(sizes[i], align, GFP_KERNEL | __GFP_NOWARN);
				CHECK(objects[n] || align > 1ul << 20 || sizes[i] > 1ul << 20,
					"%zu bytes aligned to %zu: NULL", sizes[i], align);
				CHECK(!((uintptr_t)objects[n] & (align - 1)),
					"%zu bytes aligned to %zu: %p", sizes[i], align,
					objects[n]);
				CHECK(!objects[n] || ksize(objects[n]) >= sizes[i],
					"%zu bytes aligned to %zu: %zu", sizes[i], align,
					ksize(objects[n]));
				if (objects[n])
					fill(objects[n], sizes[i], n);
			}
			for (unsigned n = 0; n < 3; n++) {
				CHECK(!objects[n] || filled(objects[n], sizes[i], n),
					"%zu bytes share memory", sizes[i]);
				kfree(objects[n]);
			}
		}
	}
	size_t wrong[] = {0, 3, 24, SIZE_MAX, KMALLOC_MAX_SIZE * 2, 1ul << 63};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!kmalloc_aligned(64, wrong[i], GFP_KERNEL), "aligned to %zu", wrong[i]);
}
