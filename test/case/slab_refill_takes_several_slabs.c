#include "test/slab_tools.h"

EXACT_CONTRACT("one refill takes half of the CPU's slots full of slabs from the list",
	"refill_from_node takes one slab")
{
	struct kmem_cache *cache = kmem_cache_create("refill", 512, 0, 0, NULL);
	unsigned per_slab = cache->kc_best.objects, nid = cpu_to_mem(0);
	static void *objects[8 * 8];

	cache_set_knob(cache, KNOB_CPU_SLABS, 8);
	if (take_slabs(cache, (int)nid, 6, objects)) {
		for (unsigned slab = 0; slab < 6; slab++)
			kmem_cache_free(cache, objects[slab * per_slab]);
		partial_drain_cpu(cache, 0);
		objects[0] = kmem_cache_alloc(cache, GFP_KERNEL);
		CHECK(port_load(&cache_cpu(cache, 0)->cc_nr) == 4, "%u slots in use",
			port_load(&cache_cpu(cache, 0)->cc_nr));
		CHECK(partial_slabs(cache, nid) == 2, "%lu slabs left", partial_slabs(cache, nid));
		CHECK(stat_of(cache, ALLOC_FROM_PARTIAL) == 4, "counted %lu times",
			stat_of(cache, ALLOC_FROM_PARTIAL));
		for (unsigned slab = 0; slab < 6; slab++)
			free_some(cache, objects + slab * per_slab + 1, per_slab - 1);
		kmem_cache_free(cache, objects[0]);
	}
	destroy_empty(cache);
}
