#include "test/slab_tools.h"

CONTRACT("a cache without a name, of size 0, of more than the largest, or of an odd alignment is "
	 "NULL",
	"kmem_cache_create does not look at an argument")
{
	static const struct {
		const char *name;
		size_t size, align;
	} wrong[] = {
		{NULL, 64, 0},
		{"empty", 0, 0},
		{"huge", KMALLOC_MAX_SIZE + 1, 0},
		{"absurd", SIZE_MAX, 0},
		{"odd", 64, 3},
		{"odd", 64, SIZE_MAX},
		{"wide", 64, KMALLOC_MAX_SIZE * 2},
		{"widest", 64, 1ul << 63},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		test_log_clear();
		struct kmem_cache *cache =
			kmem_cache_create(wrong[i].name, wrong[i].size, wrong[i].align, 0, NULL);

		CHECK(!cache, "number %zu was made", i);
		CHECK(test_log_has("not made"), "number %zu: nothing was said", i);
		kmem_cache_destroy(cache);
	}
}
