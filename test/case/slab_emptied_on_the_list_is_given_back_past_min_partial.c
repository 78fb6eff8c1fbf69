#include "test/slab_tools.h"

EXACT_CONTRACT(
	"of slabs that become empty on a node's list, min_partial stay and the others are given "
	"back",
	"finish_free is one off in comparing with min_partial")
{
	struct kmem_cache *cache = kmem_cache_create("emptied", 512, 0, 0, NULL);
	unsigned per_slab = cache->kc_best.objects, nid = cpu_to_mem(0);
	static void *objects[6 * 8];

	for (unsigned stay = 0; stay <= 3; stay++) {
		cache_set_knob(cache, KNOB_MIN_PARTIAL, stay);
		kmem_cache_shrink(cache);
		if (!take_slabs(cache, (int)nid, 6, objects))
			break;
		for (unsigned slab = 0; slab < 6; slab++)
			free_some(cache, objects + slab * per_slab + 1, per_slab - 1);
		partial_drain_cpu(cache, 0);
		CHECK(partial_slabs(cache, nid) == 6, "%lu slabs on the list",
			partial_slabs(cache, nid));
		for (unsigned slab = 0; slab < 6; slab++)
			kmem_cache_free(cache, objects[slab * per_slab]);
		CHECK(partial_slabs(cache, nid) == stay && nr_slabs(cache) == stay,
			"%lu of %lu slabs stay, not %u", partial_slabs(cache, nid), nr_slabs(cache),
			stay);
	}
	destroy_empty(cache);
}
