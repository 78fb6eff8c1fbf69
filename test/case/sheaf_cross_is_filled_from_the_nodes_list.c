#include "test/slab_tools.h"

#define OBJECTS 100

CONTRACT("objects of another node are taken from its slabs many at a time, each counted; each such "
	 "time "
	 "is a miss, and no sheaf of this node is asked for them",
	"refill_cross does not note a miss or count, or sheaf_alloc_node opens no cross or drains "
	"first")
{
	static void *objects[OBJECTS];
	unsigned far = far_cpu(), nid = cpu_to_mem(far);
	struct kmem_cache *cache = kmem_cache_create("cross", 512, 0, 0, NULL);

	if (!far || !cache_knob(cache, KNOB_SHEAF)) {
		contract_skip(far ? "all caches are exact" : "one node");
		destroy_empty(cache);
		return;
	}
	cache_set_knob(cache, KNOB_SHEAF, 2 * SHEAF_START);
	for (unsigned i = 0; i < 8; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	free_some(cache, objects, 8);
	uint64_t near = sheaf_objects(cache), before = stat_of(cache, ALLOC_SLOWPATH);
	uint32_t size = port_load(&cache->kc_sheaf_size);

	objects[0] = kmem_cache_alloc_node(cache, GFP_KERNEL, (int)nid);
	objects[1] = kmem_cache_alloc_node(cache, GFP_KERNEL, (int)nid);
	CHECK(near >= 8 && sheaf_objects(cache) > near, "%lu objects in sheaves, %lu before",
		sheaf_objects(cache), near);
	for (unsigned i = 2; i < OBJECTS; i++)
		objects[i] = kmem_cache_alloc_node(cache, GFP_KERNEL, (int)nid);
	CHECK(stat_of(cache, ALLOC_SLOWPATH) - before == OBJECTS + sheaf_objects(cache) - near,
		"%lu counted, %u and %lu in sheaves taken", stat_of(cache, ALLOC_SLOWPATH) - before,
		OBJECTS, sheaf_objects(cache) - near);
	CHECK(port_load(&cache->kc_sheaf_size) > size, "sheaves did not grow");
	free_some(cache, objects, OBJECTS);
	destroy_empty(cache);
}
