/* A 24-byte class with 8-byte alignment, handed to code that moves 16 bytes at a time, faulted
 * elsewhere. */
#include "test/slab_tools.h"

CONTRACT("all objects of a slab are aligned: powers of two to themselves, others from 16 bytes up "
	 "to 16",
	"a class of 24 bytes")
{
	static void *objects[512];

	for (size_t bytes = 1; bytes <= KMALLOC_MAX_CACHE_SIZE; bytes += 1 + bytes / 12) {
		size_t up = kmalloc_size_roundup(bytes), align = up & (up - 1) ? 16 : up;
		unsigned nr = kmalloc_caches[kmalloc_class(bytes)][0]->kc_best.objects;

		if (bytes >= 16)
			CHECK(!(up % 16), "%zu bytes come from a class of %zu", bytes, up);
		for (unsigned i = 0; i < nr; i++) {
			objects[i] = kmalloc_var(bytes, GFP_KERNEL);
			CHECK(!((uintptr_t)objects[i] & (align - 1)),
				"%zu bytes at %p, not aligned to %zu", bytes, objects[i], align);
		}
		for (unsigned i = 0; i < nr; i++)
			kfree(objects[i]);
	}
}
