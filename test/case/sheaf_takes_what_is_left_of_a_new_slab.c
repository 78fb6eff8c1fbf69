#include "test/slab_tools.h"

CONTRACT("an allocation that needs a new slab takes the slab's other objects to both sheaves",
	"sheaf_alloc does not top up")
{
	struct kmem_cache *cache = kmem_cache_create("topped", 512, 0, 0, NULL);

	if (!cache_knob(cache, KNOB_SHEAF)) {
		contract_skip("all caches are exact");
		destroy_empty(cache);
		return;
	}
	cache_set_knob(cache, KNOB_SHEAF, 4);
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);
	CHECK(sheaf_objects(cache) == 7, "%lu objects in sheaves", sheaf_objects(cache));
	kmem_cache_free(cache, object);
	destroy_empty(cache);
}
