#include "mm/memblock.h"
#include "test/contract.h"

CONTRACT("boot memory ends with the start: what is left of it belongs to the page allocator",
	"memblock_alloc does not look at `ended`: it gives a crumb of a page in use")
{
	for (size_t bytes = 1; bytes <= 4 * PAGE_SIZE; bytes *= 2)
		CHECK(!memblock_alloc(bytes, 0), "%zu bytes", bytes);
}
