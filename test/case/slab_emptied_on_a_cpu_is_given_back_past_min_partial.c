#include "test/slab_tools.h"

EXACT_CONTRACT(
	"of empty slabs that a CPU hands over, min_partial stay and the others are given back",
	"settle is one off in comparing with min_partial")
{
	struct kmem_cache *cache = kmem_cache_create("handed", 512, 0, 0, NULL);
	unsigned per_slab = cache->kc_best.objects, nid = cpu_to_mem(0);
	static void *objects[6 * 8];

	cache_set_knob(cache, KNOB_CPU_SLABS, CPU_SLABS_MAX);
	for (unsigned stay = 0; stay <= 3; stay++) {
		cache_set_knob(cache, KNOB_MIN_PARTIAL, stay);
		kmem_cache_shrink(cache);
		if (!take_slabs(cache, (int)nid, 6, objects))
			break;
		free_some(cache, objects, 6 * per_slab);
		CHECK(port_load(&cache_cpu(cache, 0)->cc_nr) == 6, "the CPU holds %u slabs",
			port_load(&cache_cpu(cache, 0)->cc_nr));
		partial_drain_cpu(cache, 0);
		CHECK(partial_slabs(cache, nid) == stay && nr_slabs(cache) == stay,
			"%lu of %lu slabs stay, not %u", partial_slabs(cache, nid), nr_slabs(cache),
			stay);
	}
	destroy_empty(cache);
}
