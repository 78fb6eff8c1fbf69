#include "test/slab_tools.h"

CONTRACT("frees put one empty sheaf into a barn for the next full one, not one each time",
	"stock_barn does not look whether there is an empty one")
{
	struct kmem_cache *cache = kmem_cache_create("stocked", 512, 0, 0, NULL);
	struct barn *barn = barn_of_cpu_0(cache);
	void *objects[8];

	if (!cache_knob(cache, KNOB_SHEAF)) {
		contract_skip("all caches are exact");
		destroy_empty(cache);
		return;
	}
	cache_set_knob(cache, KNOB_SHEAF, 4);
	cache_set_knob(cache, KNOB_BARN, 16);
	/* Each round both sheaves of the CPU are emptied, and main is full once. */
	for (unsigned round = 0; round < 10; round++) {
		for (unsigned i = 0; i < 8; i++)
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		free_some(cache, objects, 8);
	}
	uint64_t empty = port_load(&barn->bn_empty);
	CHECK(empty && !(empty & (empty - 1)), "empty sheaves: %lx", empty);
	destroy_empty(cache);
}
