#include "test/slab_tools.h"

static struct kmem_cache *cache;
static void *objects[16];

static void free_first(void *arg)
{
	(void)arg;
	kmem_cache_free(cache, objects[0]);
}

EXACT_CONTRACT(
	"a full slab that gets an object back from a CPU of another node goes to its own node's "
	"list",
	"partial_free_slow takes every slab for one of its own node")
{
	unsigned cpu = far_cpu(), nid = cpu_to_mem(0);

	if (!cpu) {
		contract_skip("one memory node");
		return;
	}
	cache = kmem_cache_create("homing", 512, 0, 0, NULL);
	if (take_slabs(cache, (int)nid, 1, objects)) {
		test_run_on(cpu, free_first, NULL);
		CHECK(partial_slabs(cache, nid) == 1, "%lu slabs on the list",
			partial_slabs(cache, nid));
		CHECK(!port_load(&cache_cpu(cache, cpu)->cc_nr), "the far CPU holds it");
		CHECK(!(slab_pair(slab_of(objects[0])).hi & SLAB_FROZEN), "frozen");
	}
	free_some(cache, objects + 1, cache->kc_best.objects - 1);
	destroy_empty(cache);
}
