#include "mm/page_alloc.h"
#include "test/slab_tools.h"

#define NR_OBJECTS 512

/* All pages of a node, as a chain through the blocks themselves. */
static void **take_node(unsigned nid)
{
	gfp_t gfp = GFP_ATOMIC | __GFP_THISNODE | __GFP_NOWARN;
	void **chain = NULL;

	for (unsigned order = DOLMEN_MAX_ORDER + 1; order-- > 0;) {
		struct page *page;

		while ((page = alloc_pages_node((int)nid, gfp, order))) {
			void **block = page_address(page);

			block[0] = chain;
			block[1] = (void *)(uintptr_t)order;
			chain = block;
		}
	}
	return chain;
}

static void give_back(void **chain)
{
	while (chain) {
		void **next = chain[0];

		free_pages(chain, (unsigned)(uintptr_t)chain[1]);
		chain = next;
	}
}

CONTRACT("kmalloc_node takes from the nearest node that has memory when the one asked for is dry, "
	 "and packs it into few slabs",
	"partial_alloc_node makes a new slab for each object of a dry node")
{
	static void *objects[NR_OBJECTS];
	unsigned nid = cpu_to_mem(test_nr_cpus() - 1);
	int next = numa_fallback(nid, 1);
	unsigned elsewhere = 0;

	if (next == NUMA_NO_NODE) {
		contract_skip("one memory node");
		return;
	}
	if (numa_free_pages((int)nid) > 1ul << 19) {
		contract_skip("a node of more than 2 GiB takes long to fill");
		return;
	}
	struct kmem_cache *cache = kmem_cache_create("dry", 64, 0, 0, NULL);
	void **chain = take_node(nid);
	void *none =
		kmem_cache_alloc_node(cache, GFP_KERNEL | __GFP_THISNODE | __GFP_NOWARN, (int)nid);
	CHECK(!none, "node %u is not dry", nid);
	for (unsigned i = 0; i < NR_OBJECTS; i++) {
		objects[i] = kmem_cache_alloc_node(cache, GFP_KERNEL, (int)nid);
		CHECK(objects[i], "object %u: NULL", i);
		elsewhere += objects[i] && object_node(objects[i]) != (unsigned)next;
	}
	CHECK(!elsewhere, "%u objects are not of node %d", elsewhere, next);
	CHECK(nr_slabs(cache) <= NR_OBJECTS / cache->kc_best.objects + CPU_SLABS_MAX,
		"%lu slabs for %u objects", nr_slabs(cache), NR_OBJECTS);
	free_some(cache, objects, NR_OBJECTS);
	destroy_empty(cache);
	give_back(chain);
}
