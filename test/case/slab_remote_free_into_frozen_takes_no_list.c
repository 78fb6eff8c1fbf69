#include <dolmen/slab.h>
#include "mm/slab.h"
#include "test/contract.h"

struct work {
	struct kmem_cache *cache;
	void *object;
};

static void free_it(void *arg)
{
	struct work *work = arg;

	kmem_cache_free(work->cache, work->object);
}

EXACT_CONTRACT("a remote free into a frozen slab takes no list",
	"after_free does not look at the frozen bit: the free waits for the list lock")
{
	if (test_nr_cpus() < 2) {
		contract_skip("one CPU");
		return;
	}
	struct kmem_cache *cache = kmem_cache_create("frozen", 64, 0, 0, NULL);
	void *kept = kmem_cache_alloc(cache, GFP_KERNEL);
	struct work work = {cache, kmem_cache_alloc(cache, GFP_KERNEL)};

	/* With every list lock of the cache held, the free can only finish if it takes none. */
	for (unsigned nid = 0; nid < DOLMEN_MAX_NODES; nid++)
		if (cache->kc_node[nid])
			spin_lock(&cache->kc_node[nid]->kn_lock);
	test_run_on(1, free_it, &work);
	for (unsigned nid = 0; nid < DOLMEN_MAX_NODES; nid++) {
		if (!cache->kc_node[nid])
			continue;
		CHECK(!port_load(&cache->kc_node[nid]->kn_nr_partial),
			"node %u has a slab on its list", nid);
		spin_unlock(&cache->kc_node[nid]->kn_lock);
	}
	CHECK(!port_load(&cache_cpu(cache, 1)->cc_stat[FREE_SLOWPATH]), "not into a frozen slab");
	kmem_cache_free(cache, kept);
	CHECK(kmem_cache_destroy(cache), "objects left");
}
