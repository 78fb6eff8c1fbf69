#include "test/slab_tools.h"

EXACT_CONTRACT(
	"of 100 refills that find the own node's list empty, remote_ratio take another node's "
	"slabs",
	"refill_from_remote does not look at the ratio")
{
	static const unsigned ratios[] = {0, 25, 100};
	int other = numa_fallback(cpu_to_mem(0), 1);
	static void *far[20 * 8], *got[20];

	if (other == NUMA_NO_NODE) {
		contract_skip("one memory node");
		return;
	}
	struct kmem_cache *cache = kmem_cache_create("ratio", 512, 0, 0, NULL);
	unsigned per_slab = cache->kc_best.objects, remote;
	cache_set_knob(cache, KNOB_CPU_SLABS, 1);
	for (unsigned i = 0; i < 3; i++) {
		cache_set_knob(cache, KNOB_REMOTE_RATIO, ratios[i]);
		if (!take_slabs(cache, other, 20, far))
			break;
		for (unsigned slab = 0; slab < 20; slab++)
			kmem_cache_free(cache, far[slab * per_slab]);
		partial_drain_cpu(cache, 0);
		remote = 0;
		for (unsigned n = 0; n < 20; n++) {
			got[n] = kmem_cache_alloc(cache, GFP_KERNEL);
			if (object_node(got[n]) == (unsigned)other) {
				remote++;
			} else {
				kmem_cache_free(cache, got[n]);
				got[n] = NULL;
			}
			kmem_cache_shrink(cache); /* the own node's list is empty again */
		}
		CHECK(remote == ratios[i] / 5, "ratio %u: %u of 20 from the other node", ratios[i],
			remote);
		for (unsigned n = 0; n < 20; n++)
			kmem_cache_free(cache, got[n]);
		for (unsigned slab = 0; slab < 20; slab++)
			free_some(cache, far + slab * per_slab + 1, per_slab - 1);
		kmem_cache_shrink(cache);
	}
	destroy_empty(cache);
}
