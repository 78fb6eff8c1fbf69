#include <dolmen/init.h>

#include "test/slab_tools.h"

#define GFP	(GFP_KERNEL | __GFP_NOWARN)
#define PER_CPU 60
#define MOST	4096

static struct kmem_cache *cache;
static void *objects[MOST];

static void allocate(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < PER_CPU; i++)
		objects[i] = kmem_cache_alloc(cache, GFP);
}

static void give_back(void *arg)
{
	(void)arg;
	free_some(cache, objects, PER_CPU);
}

/* Every CPU's sheaves and every node's barn get some. */
static void spread(void)
{
	for (unsigned cpu = 0; cpu < test_nr_cpus() && cpu < 8; cpu++) {
		test_run_on(cpu, allocate, NULL);
		test_run_on(cpu, give_back, NULL);
		test_run_on(cpu, allocate, NULL);
		test_run_on((cpu + 1) % test_nr_cpus(), give_back, NULL);
	}
}

CONTRACT("while no page is to be had, an allocation finds every free object, whichever CPU's sheaf "
	 "or node's barn it is in",
	"sheaf_alloc or sheaf_alloc_node gives up before it has drained all sheaves")
{
	for (int nid = NUMA_NO_NODE; nid < (int)numa_nr_nodes(); nid++) {
		struct cache_stats stats;
		unsigned nr = 0;

		cache = kmem_cache_create("scattered", 512, 0, 0, NULL);
		/* No slab is given back, or its objects would be found as little as its pages. */
		cache_set_knob(cache, KNOB_MAX_PARTIAL, MOST);
		cache_set_knob(cache, KNOB_MIN_PARTIAL, MOST);
		if (cache_knob(cache, KNOB_SHEAF)) {
			cache_set_knob(cache, KNOB_SHEAF, 4);
			cache_set_knob(cache, KNOB_BARN, 4);
		}
		spread();
		cache_stats(cache, &stats);
		dolmen_fail_pages(0, UINT64_MAX);
		while (nr < MOST && (objects[nr] = kmem_cache_alloc_node(cache, GFP, nid)))
			nr++;
		dolmen_fail_pages(0, 0);
		CHECK(nr == stats.objects && nr,
			"node %d: %u of %lu objects, %lu of them in sheaves", nid, nr,
			stats.objects, stats.in_sheaves);
		free_some(cache, objects, nr);
		destroy_empty(cache);
	}
}
