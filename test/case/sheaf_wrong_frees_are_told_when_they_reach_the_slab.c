#include "mm/check.h"
#include "test/slab_tools.h"

CONTRACT("a sheaf that goes to its slabs tells a second free and an address inside an object, each "
	 "once",
	"sort_in takes an object twice, or free_alone does not check the start of an object")
{
	struct kmem_cache *cache = kmem_cache_create("misused", 64, 0, 0, NULL);
	char *twice = kmem_cache_alloc(cache, GFP_KERNEL),
	     *live = kmem_cache_alloc(cache, GFP_KERNEL);
	uint64_t reports = check_reports();
	void *others[8]; /* so that one sheaf has room for all that is freed */

	for (unsigned i = 0; i < 8; i++)
		others[i] = kmem_cache_alloc(cache, GFP_KERNEL);

	if (!cache_knob(cache, KNOB_SHEAF)) {
		contract_skip("all caches are exact");
	} else {
		kmem_cache_free(cache, live + 8);
		kmem_cache_free(cache, twice);
		kmem_cache_free(cache, twice);
		CHECK(check_reports() == reports, "%lu reports before the slab is reached",
			check_reports() - reports);
		test_log_clear();
		kmem_cache_shrink(cache);
		CHECK(check_reports() == reports + 2, "%lu reports", check_reports() - reports);
		CHECK(test_log_has("double free"), "the second free is not told");
		CHECK(test_log_has("inside object"), "the address inside is not told");
		twice = NULL;
	}
	free_some(cache, others, 8);
	CHECK(objects_in_use(cache) == 1 + !!twice, "%lu objects in use", objects_in_use(cache));
	kmem_cache_free(cache, twice);
	kmem_cache_free(cache, live);
	destroy_empty(cache);
}
