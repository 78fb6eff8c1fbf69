#include <dolmen/slab.h>
#include "mm/check.h"
#include "test/contract.h"

static const size_t sizes[] = {8, 16, 32, 64, 96, 200, 1024, 4096, 8192, 16384};

EXACT_CONTRACT("a second free of the same object is reported and changes nothing",
	"partial_free does not look at the free bit")
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		void *object = kmalloc_var(sizes[i], GFP_KERNEL),
		     *other = kmalloc_var(sizes[i], GFP_KERNEL);
		uint64_t reports = check_reports();

		kfree(object);
		test_log_clear();
		kfree(object);
		CHECK(check_reports() == reports + 1, "%zu bytes: not reported", sizes[i]);
		CHECK(test_log_has("double free"), "%zu bytes: no line says so", sizes[i]);
		/* The object is handed out once, not twice. */
		void *first = kmalloc_var(sizes[i], GFP_KERNEL),
		     *second = kmalloc_var(sizes[i], GFP_KERNEL);
		CHECK(first != second, "%zu bytes: one object for two", sizes[i]);
		kfree(first);
		kfree(second);
		kfree(other);
	}
}
