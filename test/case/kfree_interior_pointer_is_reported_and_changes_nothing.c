#include <dolmen/slab.h>
#include "mm/check.h"
#include "test/contract.h"

static const size_t sizes[] = {16, 64, 96, 640, 8192, 16384, 20000, 100000};

EXACT_CONTRACT("a free of a pointer into an object is reported and changes nothing",
	"slab_index does not check the stride, or large_free the start of the block")
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *object = kmalloc_var(sizes[i], GFP_KERNEL);
		size_t offsets[] = {1, 8, sizes[i] / 2, sizes[i] - 1};

		for (size_t j = 0; j < 4; j++) {
			uint64_t reports = check_reports();

			kfree(object + offsets[j]);
			CHECK(check_reports() == reports + 1, "%zu bytes, offset %zu: not reported",
				sizes[i], offsets[j]);
		}
		CHECK(ksize(object) >= sizes[i], "the object is gone");
		kfree(object);
	}
}
