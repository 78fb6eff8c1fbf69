#include "test/slab_tools.h"

CONTRACT(
	"a CPU without slabs fills its sheaves from its node's list and leaves the slab there, and "
	"each object counts as taken",
	"partial_take_run does not go to the list, or does not count what it takes")
{
	struct kmem_cache *cache = kmem_cache_create("listed", 512, 0, 0, NULL);
	unsigned nid = cpu_to_mem(0);
	static void *objects[8];
	bool sheaves = cache_knob(cache, KNOB_SHEAF);

	cache_set_knob(cache, KNOB_SHEAF, 0);
	if (!sheaves || !take_slabs(cache, (int)nid, 1, objects)) {
		contract_skip("all caches are exact");
		destroy_empty(cache);
		return;
	}
	free_some(cache, objects, 6);
	partial_drain_cpu(cache, 0);
	CHECK(partial_slabs(cache, nid) == 1, "%lu slabs on the list", partial_slabs(cache, nid));
	cache_set_knob(cache, KNOB_SHEAF, 2);

	uint64_t before = stat_of(cache, ALLOC_SLOWPATH);
	objects[0] = kmem_cache_alloc(cache, GFP_KERNEL);
	CHECK(sheaf_objects(cache) == 3, "%lu objects in sheaves", sheaf_objects(cache));
	CHECK(stat_of(cache, ALLOC_SLOWPATH) == before + 4, "%lu counted, not 4",
		stat_of(cache, ALLOC_SLOWPATH) - before);
	CHECK(partial_slabs(cache, nid) == 1 && !port_load(&cache_cpu(cache, 0)->cc_nr),
		"the CPU took the slab itself");
	kmem_cache_free(cache, objects[0]);
	free_some(cache, &objects[6], 2);
	destroy_empty(cache);
}
