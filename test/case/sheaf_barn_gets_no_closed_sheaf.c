#include <dolmen/init.h>

#include "test/slab_tools.h"

#define OBJECTS 16
#define HOGS	4096

static struct kmem_cache *cache;

static void stock(void *arg)
{
	void *objects[OBJECTS];

	(void)arg;
	for (unsigned i = 0; i < OBJECTS; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	free_some(cache, objects, OBJECTS);
}

CONTRACT("a CPU that can make no sheaf for another node trades none with its barn",
	"refill_cross does not ask whether the cross sheaf is the closed one")
{
	static void *hogs[HOGS];
	unsigned far = far_cpu(), nr = 0;

	cache = kmem_cache_create("closed", 512, 0, 0, NULL);
	if (!far || !cache_knob(cache, KNOB_SHEAF)) {
		contract_skip(far ? "all caches are exact" : "one node");
		destroy_empty(cache);
		return;
	}
	cache_set_knob(cache, KNOB_SHEAF, 2);
	cache_set_knob(cache, KNOB_BARN, 4);
	test_run_on(far, stock, NULL);

	struct barn *barn = &cache->kc_node[cpu_to_mem(far)]->kn_barn[0];
	uint64_t full = port_load(&barn->bn_full);
	dolmen_fail_pages(0, UINT64_MAX);
	while (nr < HOGS &&
		(hogs[nr] = kmem_cache_alloc(sheaf_caches[0], __GFP_NORETRY | __GFP_NOWARN)))
		nr++;
	void *object = kmem_cache_alloc_node(
		cache, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN, (int)cpu_to_mem(far));
	CHECK(full && nr < HOGS && port_load(&barn->bn_full) == full, "full slots: %lx, %lx before",
		port_load(&barn->bn_full), full);
	dolmen_fail_pages(0, 0);
	if (object)
		kmem_cache_free(cache, object);
	free_some(sheaf_caches[0], hogs, nr);
	destroy_empty(cache);
}
