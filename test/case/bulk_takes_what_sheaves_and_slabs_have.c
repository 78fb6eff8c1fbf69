#include "test/slab_tools.h"

#define SLABS	 20
#define PER_SLAB 8

static void *objects[SLABS * PER_SLAB];

/* All of `nr` new slabs, then `free` of each back to it, while there are no sheaves. */
static bool free_in_slabs(struct kmem_cache *cache, unsigned nr, unsigned free)
{
	cache_set_knob(cache, KNOB_SHEAF, 0);
	cache_set_knob(cache, KNOB_BARN, 0);
	if (!take_slabs(cache, (int)cpu_to_mem(0), nr, objects))
		return false;
	for (unsigned i = 0; i < nr; i++)
		free_some(cache, &objects[i * PER_SLAB], free);
	partial_drain_cpu(cache, 0);
	return true;
}

static void expect_all_taken(struct kmem_cache *cache)
{
	if (!free_in_slabs(cache, 1, 7))
		return;
	cache_set_knob(cache, KNOB_SHEAF, 2);
	objects[0] = kmem_cache_alloc(cache, GFP_KERNEL);
	CHECK(sheaf_objects(cache) == 3, "%lu objects in sheaves", sheaf_objects(cache));

	uint64_t before = stat_of(cache, ALLOC_SLOWPATH);
	CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL, 6, &objects[1]), "no 6 objects");
	CHECK(nr_slabs(cache) == 1 && !sheaf_objects(cache), "%lu slabs, %lu in sheaves",
		nr_slabs(cache), sheaf_objects(cache));
	CHECK(stat_of(cache, ALLOC_SLOWPATH) == before + 3, "%lu taken from slabs",
		stat_of(cache, ALLOC_SLOWPATH) - before);
	free_some(cache, objects, PER_SLAB);
}

static void expect_growth(struct kmem_cache *cache)
{
	if (!free_in_slabs(cache, SLABS, 4))
		return;
	cache_set_knob(cache, KNOB_SHEAF, 2 * SHEAF_START);
	for (unsigned i = 0; i < SLABS; i++)
		CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL, 4, &objects[i * PER_SLAB]),
			"no 4 objects");
	CHECK(port_load(&cache->kc_sheaf_size) == 2 * SHEAF_START && !sheaf_objects(cache),
		"sheaves of %u, %lu objects in them", port_load(&cache->kc_sheaf_size),
		sheaf_objects(cache));
	CHECK(port_load(&cache_cpu(cache, 0)->cc_main.sl_stack) != &closed_stack,
		"no sheaf was made");
	free_some(cache, objects, SLABS * PER_SLAB);
}

CONTRACT("a request for many takes both sheaves and what slabs have in one go, and makes sheaves "
	 "that "
	 "are too small for it larger",
	"take_rest leaves the spare or the slabs, notes no miss, or opens no sheaf")
{
	struct kmem_cache *cache = kmem_cache_create("many", 512, 0, 0, NULL);

	if (cache_knob(cache, KNOB_SHEAF)) {
		expect_all_taken(cache);
		kmem_cache_shrink(cache);
		expect_growth(cache);
	} else {
		contract_skip("all caches are exact");
	}
	destroy_empty(cache);
}
