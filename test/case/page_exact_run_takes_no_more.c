/* alloc_pages_exact(). */
#include "lib/string.h"
#include "mm/memmap.h"
#include "mm/page_alloc.h"
#include "test/contract.h"

CONTRACT("an exact run takes exactly its pages, and the rest of the block is free at once",
	"alloc_pages_exact keeps the last free part")
{
	static const unsigned sizes[] = {1, 2, 3, 5, 7, 8, 11, 31, 33, 511, 1000, 1024};

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t bytes = sizes[i] * PAGE_SIZE;
		uint64_t before = numa_free_pages(NUMA_NO_NODE);
		unsigned char *run = alloc_pages_exact(bytes - 1, GFP_KERNEL | __GFP_NOWARN);

		if (!run)
			continue;
		CHECK(before - numa_free_pages(NUMA_NO_NODE) == sizes[i], "%lu pages taken, not %u",
			before - numa_free_pages(NUMA_NO_NODE), sizes[i]);
		memset(run, 0xa5, bytes);
		free_pages_exact(run, bytes - 1);
		CHECK(numa_free_pages(NUMA_NO_NODE) == before, "%lu pages are free, not %lu",
			numa_free_pages(NUMA_NO_NODE), before);
	}
	CHECK(!alloc_pages_exact(0, GFP_KERNEL), "0 bytes were served");
	CHECK(!alloc_pages_exact((PAGE_SIZE << DOLMEN_MAX_ORDER) + 1, GFP_KERNEL),
		"more than the largest block was served");
	CHECK(!alloc_pages_exact(SIZE_MAX, GFP_KERNEL), "SIZE_MAX bytes were served");
}
