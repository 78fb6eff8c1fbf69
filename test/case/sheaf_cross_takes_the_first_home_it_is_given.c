#include "test/slab_tools.h"

static struct kmem_cache *cache;
static void *objects[4];

static void free_all(void *arg)
{
	(void)arg;
	free_some(cache, objects, 4);
}

CONTRACT("a CPU that only frees another node's objects gathers them in its cross sheaf",
	"takes() does not set the home of an empty cross")
{
	unsigned far = far_cpu();

	cache = kmem_cache_create("gathered", 512, 0, 0, NULL);
	if (!far || !cache_knob(cache, KNOB_SHEAF)) {
		contract_skip(far ? "all caches are exact" : "one node");
		destroy_empty(cache);
		return;
	}
	for (unsigned i = 0; i < 4; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	kmem_cache_shrink(cache);
	test_run_on(far, free_all, NULL);
	CHECK(sheaf_objects(cache) == 4, "%lu of 4 are in sheaves", sheaf_objects(cache));
	destroy_empty(cache);
}
