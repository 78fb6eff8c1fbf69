/* Memory that lies empty in slabs is no reason for NULL. */
#include <dolmen/init.h>
#include "mm/page_alloc.h"
#include "test/slab_tools.h"

CONTRACT("page reclaim says that it made room whenever it gave a page back",
	"reclaim counts only what partial_shrink_node gave back")
{
	struct kmem_cache *cache = kmem_cache_create("reclaimed", 512, 0, 0, NULL);
	unsigned per_slab = cache->kc_best.objects, nid = cpu_to_mem(0);
	static void *objects[8 * 8];

	dolmen_drain_all();
	cache_set_knob(cache, KNOB_MIN_PARTIAL, 1);
	cache_set_knob(cache, KNOB_CPU_SLABS, CPU_SLABS_MAX);
	if (take_slabs(cache, (int)nid, 4, objects)) {
		/* One slab in use on the list, which is long enough by that; three empty ones on
		 * the CPU. */
		kmem_cache_free(cache, objects[0]);
		partial_drain_cpu(cache, 0);
		free_some(cache, objects + per_slab, 3 * per_slab);
		CHECK(page_reclaim && page_reclaim((int)nid, GFP_KERNEL, 0), "no room, it says");
		CHECK(nr_slabs(cache) == 1, "%lu slabs left", nr_slabs(cache));
		CHECK(!page_reclaim((int)nid, GFP_KERNEL, 0), "room from nowhere");
		free_some(cache, objects + 1, per_slab - 1);
	}
	destroy_empty(cache);
}
