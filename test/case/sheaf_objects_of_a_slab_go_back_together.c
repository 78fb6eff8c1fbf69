#include "test/slab_tools.h"

CONTRACT("objects of a slab that a sheaf held come back to it as one: it is listed by how many "
	 "they are",
	"find_run makes a run for each object, or flush frees each alone")
{
	struct kmem_cache *cache = kmem_cache_create("together", 512, 0, 0, NULL);
	struct kmem_cache_node *node = cache->kc_node[cpu_to_mem(0)];
	bool sheaves = cache_knob(cache, KNOB_SHEAF);
	static void *objects[8];

	cache_set_knob(cache, KNOB_SHEAF, 0);
	if (!sheaves || !take_slabs(cache, (int)cpu_to_mem(0), 1, objects)) {
		contract_skip("all caches are exact");
		destroy_empty(cache);
		return;
	}
	cache_set_knob(cache, KNOB_SHEAF, 8);
	free_some(cache, objects, 5);
	CHECK(sheaf_objects(cache) == 5, "%lu objects in sheaves", sheaf_objects(cache));
	sheaf_drain_cpu(cache, 0);
	CHECK(list_empty(&node->kn_partial[0]) && !list_empty(&node->kn_partial[2]),
		"it is not where 5 free objects of 8 belong");

	/* It is on the list now and stays there. */
	uint64_t before = stat_of(cache, FREE_FROZEN);
	free_some(cache, objects + 5, 2);
	sheaf_drain_cpu(cache, 0);
	CHECK(stat_of(cache, FREE_FROZEN) == before, "%lu of 2 frees count as into a frozen slab",
		stat_of(cache, FREE_FROZEN) - before);
	kmem_cache_free(cache, objects[7]);
	destroy_empty(cache);
}
