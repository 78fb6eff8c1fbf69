#include "test/slab_tools.h"

EXACT_CONTRACT("a CPU whose slots are full hands half of them to the node, not one and not all",
	"hand_over_half hands all")
{
	struct kmem_cache *cache = kmem_cache_create("overflow", 512, 0, 0, NULL);
	unsigned per_slab = cache->kc_best.objects, nid = cpu_to_mem(0);
	struct kmem_cache_cpu *c = cache_cpu(cache, 0);
	static void *objects[5 * 8];

	cache_set_knob(cache, KNOB_CPU_SLABS, 4);
	if (take_slabs(cache, (int)nid, 5, objects)) {
		uint64_t drains = stat_of(cache, CPU_PARTIAL_DRAIN);

		for (unsigned slab = 0; slab < 4; slab++)
			kmem_cache_free(cache, objects[slab * per_slab]);
		CHECK(port_load(&c->cc_nr) == 4 && !partial_slabs(cache, nid), "%u slots in use",
			port_load(&c->cc_nr));
		kmem_cache_free(cache, objects[4 * per_slab]);
		CHECK(port_load(&c->cc_nr) == 3, "%u slots in use", port_load(&c->cc_nr));
		CHECK(partial_slabs(cache, nid) == 2, "%lu slabs on the list",
			partial_slabs(cache, nid));
		CHECK(stat_of(cache, CPU_PARTIAL_DRAIN) == drains + 1, "counted %lu times",
			stat_of(cache, CPU_PARTIAL_DRAIN) - drains);
		for (unsigned slab = 0; slab < 5; slab++)
			free_some(cache, objects + slab * per_slab + 1, per_slab - 1);
	}
	destroy_empty(cache);
}
