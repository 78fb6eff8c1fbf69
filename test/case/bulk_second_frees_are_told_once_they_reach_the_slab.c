#include "mm/check.h"
#include "test/slab_tools.h"

#define NR 40

static void *objects[NR];

static void free_twice(size_t bytes, unsigned flags)
{
	struct kmem_cache *cache = kmem_cache_create("many", bytes, 0, flags, NULL);
	void *stay = kmem_cache_alloc(cache, GFP_KERNEL);
	bool exact = !cache_knob(cache, KNOB_SHEAF);

	for (unsigned way = 0; way < 3; way++) {
		uint64_t reports = check_reports();

		CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL, NR, objects), "no objects");
		void *left_out = objects[NR - 1];
		objects[NR - 1] = way == 0   ? objects[NR - 2]
				  : way == 1 ? objects[0]
					     : (char *)objects[1] + 8;
		test_log_clear();
		kmem_cache_free_bulk(cache, NR, objects);
		CHECK(check_reports() == reports + exact, "way %u, at the free: %lu reports", way,
			check_reports() - reports);
		kmem_cache_shrink(cache);
		CHECK(check_reports() == reports + 1, "way %u, in the end: %lu reports", way,
			check_reports() - reports);
		CHECK(test_log_has(way == 2 ? " inside object " : "double free of object "),
			"way %u is called something else", way);
		CHECK(objects_in_use(cache) == 2, "way %u: %lu in use", way, objects_in_use(cache));
		kmem_cache_free(cache, left_out);
	}
	kmem_cache_free(cache, stay);
	destroy_empty(cache);
}

CONTRACT("an object that is in an array twice, or an address inside one, is told once: in an exact "
	 "cache at the free, else when it reaches the slab",
	"extend_run takes an object twice")
{
	free_twice(32, 0);
	free_twice(32, SLAB_CONSISTENCY_CHECKS);
	free_twice(512, 0);
	free_twice(512, SLAB_CONSISTENCY_CHECKS);
}
