#include "test/slab_tools.h"

static bool is_frozen(struct page *page)
{
	return slab_pair(page).hi & SLAB_FROZEN;
}

EXACT_CONTRACT(
	"a slab is frozen on its CPU, thawed when used up or drained, and frozen again when it is "
	"taken back",
	"refill_from_node does not freeze what it takes, or unfreeze_full leaves the bit")
{
	struct kmem_cache *cache = kmem_cache_create("moves", 512, 0, 0, NULL);
	unsigned per_slab = cache->kc_best.objects;
	struct kmem_cache_cpu *c = cache_cpu(cache, 0);
	static void *objects[64];

	objects[0] = kmem_cache_alloc(cache, GFP_KERNEL);
	struct page *page = slab_of(objects[0]);
	unsigned nid = object_node(objects[0]);
	CHECK(is_frozen(page) && port_load(&c->cc_slab[0]) == page, "new: not frozen on its CPU");
	partial_drain_cpu(cache, 0);
	CHECK(!is_frozen(page) && partial_slabs(cache, nid) == 1 && !port_load(&c->cc_nr),
		"drained with room: not on its node's list");
	objects[1] = kmem_cache_alloc(cache, GFP_KERNEL);
	CHECK(slab_of(objects[1]) == page && is_frozen(page) && !partial_slabs(cache, nid),
		"taken back: not frozen, or still on the list");
	for (unsigned i = 2; i < per_slab + 1; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	CHECK(slab_of(objects[per_slab]) != page && !is_frozen(page) && !partial_slabs(cache, nid),
		"used up: still frozen, or on a list");
	kmem_cache_free(cache, objects[0]);
	CHECK(is_frozen(page) && !partial_slabs(cache, nid), "freed into: not frozen by this CPU");
	free_some(cache, objects + 1, per_slab);
	CHECK(is_frozen(page), "empty, but still this CPU's: thawed");
	destroy_empty(cache);
}
