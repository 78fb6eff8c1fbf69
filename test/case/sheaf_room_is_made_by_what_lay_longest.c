#include "test/slab_tools.h"

#define MANY 800

static void *objects[MANY];

/* So many objects out, and no sheaf open. */
static void take_out(struct kmem_cache *cache, unsigned sheaf, unsigned barn, unsigned nr)
{
	cache_set_knob(cache, KNOB_SHEAF, sheaf);
	cache_set_knob(cache, KNOB_BARN, barn);
	for (unsigned i = 0; i < nr; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	kmem_cache_shrink(cache);
}

CONTRACT("a full sheaf goes to the barn whole; without one what lay longest goes to its slabs, "
	 "which is "
	 "a miss",
	"make_room flushes after a trade, or main in place of the spare, or notes no miss")
{
	struct kmem_cache *cache = kmem_cache_create("room", 512, 0, 0, NULL);

	if (!cache_knob(cache, KNOB_SHEAF)) {
		contract_skip("all caches are exact");
		destroy_empty(cache);
		return;
	}
	take_out(cache, 4, 4, 12);
	free_some(cache, objects, 12);
	CHECK(sheaf_objects(cache) == 12, "%lu of 12 are in sheaves", sheaf_objects(cache));

	take_out(cache, 2, 0, 5);
	free_some(cache, objects, 5);
	for (unsigned i = 5; i-- > 2;) {
		void *object = kmem_cache_alloc(cache, GFP_KERNEL);

		CHECK(object == objects[i], "object %u did not stay", i);
	}
	free_some(cache, &objects[2], 3);

	take_out(cache, 2 * SHEAF_START, 0, MANY);
	cache_set_knob(cache, KNOB_SHEAF, 2 * SHEAF_START);
	uint32_t size = port_load(&cache->kc_sheaf_size);
	free_some(cache, objects, MANY);
	CHECK(port_load(&cache->kc_sheaf_size) > size, "sheaves of %u did not grow", size);
	destroy_empty(cache);
}
