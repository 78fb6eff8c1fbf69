/* Slab thrashing: a slab with a single free object at the list's head is full again at once, and
 * the next refill follows. */
#include "test/slab_tools.h"

EXACT_CONTRACT(
	"a slab with a single free object is picked after those with more, however it was listed",
	"pick_slab begins at the first bucket")
{
	struct kmem_cache *cache = kmem_cache_create("thrash", 512, 0, 0, NULL);
	unsigned per_slab = cache->kc_best.objects, nid = cpu_to_mem(0);
	static void *objects[3 * 8];
	void *next;

	cache_set_knob(cache, KNOB_CPU_SLABS, 1);
	for (unsigned half = 0; half < 3; half++) {
		if (!take_slabs(cache, (int)nid, 3, objects))
			break;
		for (unsigned slab = 0; slab < 3; slab++) {
			free_some(
				cache, objects + slab * per_slab, slab == half ? per_slab / 2 : 1);
			partial_drain_cpu(cache, 0);
		}
		next = kmem_cache_alloc(cache, GFP_KERNEL);
		CHECK(slab_of(next) == slab_of(objects[half * per_slab]),
			"slab %u is half free, and was not picked", half);
		kmem_cache_free(cache, next);
		for (unsigned slab = 0; slab < 3; slab++) {
			unsigned gone = slab == half ? per_slab / 2 : 1;

			free_some(cache, objects + slab * per_slab + gone, per_slab - gone);
		}
		kmem_cache_shrink(cache);
	}
	destroy_empty(cache);
}
