#include "test/slab_tools.h"

#define OBJECTS 6000

static void *objects[OBJECTS];
static struct kmem_cache *cache;

static void allocate(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < OBJECTS; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN);
}

static void give_back(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < OBJECTS; i++)
		kmem_cache_free(cache, objects[i]);
}

CONTRACT("what CPUs and barns keep free of a cache stays within its bound, wherever it was freed",
	"give_full trades whatever the barn holds already, or barn_resize opens all slots")
{
	static const size_t sizes[] = {16, 64, 256, 1024};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct cache_stats stats;

		cache = kmem_cache_create("hoarded", sizes[i], 0, 0, NULL);
		cache_set_knob(cache, KNOB_BARN, 5);
		for (unsigned cpu = 0; cpu < test_nr_cpus(); cpu++) {
			test_run_on(cpu, allocate, NULL);
			test_run_on((cpu + 1) % test_nr_cpus(), give_back, NULL);
		}
		cache_stats(cache, &stats);
		if (!cache_knob(cache, KNOB_SHEAF))
			contract_skip("all caches are exact");
		else
			CHECK(stats.in_sheaves &&
					stats.in_sheaves * stats.stride_bytes <= stats.hoard_bound,
				"%zu bytes: %lu objects kept, the bound is %lu bytes", sizes[i],
				stats.in_sheaves, stats.hoard_bound);
		destroy_empty(cache);
	}
}
