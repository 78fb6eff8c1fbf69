#include "mm/check.h"
#include "test/slab_tools.h"

CONTRACT(
	"every byte of a large block is the caller's, and a free of any of its later pages is told "
	"apart and changes nothing",
	"label_pages leaves out the last page of a block")
{
	for (size_t bytes = KMALLOC_MAX_CACHE_SIZE + 1; bytes <= KMALLOC_MAX_SIZE;
		bytes = bytes * 3 + 5) {
		char *block = kmalloc_var(bytes, GFP_KERNEL | __GFP_NOWARN);
		uint64_t reports = check_reports(), nr_wrong = 0;

		if (!block) {
			CHECK(bytes > 1ul << 20, "%zu bytes: NULL", bytes);
			continue;
		}
		size_t usable = ksize(block);
		CHECK(usable >= bytes && !(usable & (usable - 1)), "%zu bytes: ksize %zu", bytes,
			usable);
		CHECK(!((uintptr_t)block & (PAGE_SIZE - 1)), "%zu bytes at %p", bytes,
			(void *)block);
		fill(block, usable, 2);
		test_log_clear();
		for (size_t at = PAGE_SIZE; at < usable; at += PAGE_SIZE, nr_wrong++) {
			kfree(block + at);
			CHECK(!ksize(block + at), "page %zu has a size", at / PAGE_SIZE);
		}
		kfree(block + usable - 1);
		CHECK(check_reports() == reports + nr_wrong + 1, "%lu wrong frees, %lu reports",
			nr_wrong + 1, check_reports() - reports);
		CHECK(test_log_has("inside large block"), "not told as inside a block");
		CHECK(!test_log_has("foreign"), "told as foreign");
		CHECK(ksize(block) == usable && filled(block, usable, 2), "%zu bytes changed",
			bytes);
		kfree(block);
		kfree(block + usable - PAGE_SIZE);
		CHECK(check_reports() == reports + nr_wrong + 2,
			"a page of a freed block: not reported");
	}
}
