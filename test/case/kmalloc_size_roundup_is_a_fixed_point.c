#include "test/slab_tools.h"

CONTRACT("kmalloc_size_roundup never goes down, is its own fixed point, and leaves what cannot be "
	 "met",
	"bytes_order is one off at a power of two")
{
	size_t last = 0;

	for (size_t bytes = 1; bytes <= KMALLOC_MAX_SIZE; bytes += 1 + bytes / 100) {
		size_t up = kmalloc_size_roundup(bytes);

		CHECK(up >= bytes && up >= last, "%zu rounds to %zu after %zu", bytes, up, last);
		CHECK(kmalloc_size_roundup(up) == up, "%zu rounds to %zu and on to %zu", bytes, up,
			kmalloc_size_roundup(up));
		CHECK(bytes <= 16 || up <= 2 * bytes, "%zu rounds to %zu", bytes, up);
		last = up;
	}
	for (size_t power = 8; power <= KMALLOC_MAX_SIZE; power *= 2)
		CHECK(kmalloc_size_roundup(power) == power, "%zu rounds to %zu", power,
			kmalloc_size_roundup(power));
	CHECK(kmalloc_size_roundup(KMALLOC_MAX_SIZE + 1) == KMALLOC_MAX_SIZE + 1,
		"past the largest");
	CHECK(kmalloc_size_roundup(SIZE_MAX) == SIZE_MAX, "SIZE_MAX");
}
