#include <dolmen/init.h>
#include "test/slab_tools.h"

#define OBJECTS 6000
#define ROUNDS	10

CONTRACT("new sheaves grow up to their limit while slabs must help out, and shrink while none is "
	 "traded",
	"note_miss never doubles, or goes past the limit, or sweep_barn never halves")
{
	struct kmem_cache *cache = kmem_cache_create("grown", 64, 0, 0, NULL);
	static void *objects[OBJECTS];
	unsigned limit = cache_knob(cache, KNOB_SHEAF);

	if (limit <= SHEAF_START) {
		contract_skip("sheaves may not grow here");
		destroy_empty(cache);
		return;
	}
	CHECK(port_load(&cache->kc_sheaf_size) == SHEAF_START, "%u at first",
		port_load(&cache->kc_sheaf_size));
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < OBJECTS; i++)
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		for (unsigned i = 0; i < OBJECTS; i++)
			kmem_cache_free(cache, objects[i]);
	}
	CHECK(port_load(&cache->kc_sheaf_size) == limit, "%u, not %u",
		port_load(&cache->kc_sheaf_size), limit);
	for (unsigned i = 0; i < 64 * 8; i++)
		dolmen_tick();
	CHECK(port_load(&cache->kc_sheaf_size) == SHEAF_START, "%u in the end",
		port_load(&cache->kc_sheaf_size));
	destroy_empty(cache);
}
