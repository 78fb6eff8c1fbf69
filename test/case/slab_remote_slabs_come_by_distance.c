#include "test/slab_tools.h"

static struct kmem_cache *cache;
static void *objects[DOLMEN_MAX_NODES][8], *got[DOLMEN_MAX_NODES];
static unsigned nr_far;

static void take_far(void *arg)
{
	(void)arg;
	for (unsigned i = 1; i <= nr_far; i++)
		got[i] = kmem_cache_alloc(cache, GFP_KERNEL);
}

EXACT_CONTRACT("slabs of other nodes are taken from the nearest node that has any",
	"refill_from_remote goes by node number")
{
	/* On the last CPU, from whose node distances do not grow with the number. */
	unsigned cpu = test_nr_cpus() - 1, own = cpu_to_mem(cpu);

	if (numa_fallback(own, 2) == NUMA_NO_NODE) {
		contract_skip("fewer than three memory nodes");
		return;
	}
	cache = kmem_cache_create("distance", 512, 0, 0, NULL);
	cache_set_knob(cache, KNOB_CPU_SLABS, 1);
	cache_set_knob(cache, KNOB_REMOTE_RATIO, 100);
	for (nr_far = 0; numa_fallback(own, nr_far + 1) != NUMA_NO_NODE; nr_far++)
		;
	for (unsigned i = 1; i <= nr_far; i++)
		if (take_slabs(cache, numa_fallback(own, i), 1, objects[i]))
			kmem_cache_free(cache, objects[i][0]);
	partial_drain_cpu(cache, 0);
	test_run_on(cpu, take_far, NULL);
	for (unsigned i = 1; i <= nr_far; i++) {
		CHECK(got[i] && object_node(got[i]) == (unsigned)numa_fallback(own, i),
			"object %u of node %u, not %d", i, object_node(got[i]),
			numa_fallback(own, i));
		kmem_cache_free(cache, got[i]);
		free_some(cache, objects[i] + 1, cache->kc_best.objects - 1);
	}
	destroy_empty(cache);
}
