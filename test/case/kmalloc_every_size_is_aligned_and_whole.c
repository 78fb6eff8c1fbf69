#include <dolmen/slab.h>
#include "lib/string.h"
#include "test/contract.h"

static void check_size(size_t bytes)
{
	unsigned char *object = kmalloc_var(bytes, GFP_KERNEL),
		      *other = kmalloc_var(bytes, GFP_KERNEL);
	size_t align = bytes < 16	     ? 8
		       : bytes & (bytes - 1) ? 16
		       : bytes < PAGE_SIZE   ? bytes
					     : PAGE_SIZE;

	CHECK(object && other, "%zu bytes: NULL", bytes);
	if (object && other) {
		CHECK(!((uintptr_t)object & (align - 1)), "%zu bytes at %p", bytes, (void *)object);
		CHECK(ksize(object) >= bytes, "%zu bytes: ksize %zu", bytes, ksize(object));
		CHECK(ksize(object) == kmalloc_size_roundup(bytes), "%zu bytes: roundup differs",
			bytes);
		memset(object, 0x5a, ksize(object));
		memset(other, 0xa5, ksize(other));
		CHECK(object[0] == 0x5a && object[bytes - 1] == 0x5a, "%zu bytes: overlap", bytes);
	}
	kfree(object);
	kfree(other);
}

CONTRACT("every size is served with its alignment and every byte of it is the caller's",
	"a class edge one off in kmalloc_class")
{
	for (size_t bytes = 1; bytes <= 1100; bytes++)
		check_size(bytes);
	for (size_t edge = 1024; edge <= 131072; edge += edge / 4)
		for (size_t bytes = edge - 32; bytes <= edge + 32; bytes++)
			check_size(bytes);
}
