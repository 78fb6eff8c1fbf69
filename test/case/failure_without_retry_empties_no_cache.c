#include <dolmen/init.h>

#include "test/slab_tools.h"

#define OBJECTS 4
#define GFP	(GFP_KERNEL | __GFP_NOWARN)

static struct kmem_cache *cache;

static void fill_sheaf(void *arg)
{
	void *objects[OBJECTS];

	(void)arg;
	for (unsigned i = 0; i < OBJECTS; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	for (unsigned i = 0; i < OBJECTS; i++)
		kmem_cache_free(cache, objects[i]);
}

static uint64_t in_sheaves(void)
{
	struct cache_stats stats;

	cache_stats(cache, &stats);
	return stats.in_sheaves;
}

static void hold_slab(void *arg)
{
	*(void **)arg = kmem_cache_alloc(cache, GFP_KERNEL);
}

/* The same of slabs that another CPU holds. */
static void expect_slabs_kept(void)
{
	void *first, *second;

	cache = kmem_cache_create("kept", 1024, 0, SLAB_CONSISTENCY_CHECKS, NULL);
	test_run_on(1, hold_slab, &first);
	dolmen_fail_pages(0, UINT64_MAX);
	void *refused = kmem_cache_alloc(cache, GFP | __GFP_NORETRY);
	CHECK(!refused, "%p was taken from another CPU's slab", refused);
	second = kmem_cache_alloc(cache, GFP);
	CHECK(second, "another CPU's slab was not asked");
	dolmen_fail_pages(0, 0);
	kmem_cache_free(cache, first);
	kmem_cache_free(cache, second);
	destroy_empty(cache);
}

CONTRACT("a request with __GFP_NORETRY is NULL rather than emptying another CPU's sheaf or slabs; "
	 "others do it",
	"sheaf_alloc or grow drains whatever the flags say, or never")
{
	if (test_nr_cpus() < 2) {
		contract_skip("needs two CPUs");
		return;
	}
	expect_slabs_kept();
	cache = kmem_cache_create("kept", 1024, 0, 0, NULL);
	if (!cache_knob(cache, KNOB_SHEAF)) {
		contract_skip("all caches are exact");
	} else {
		test_run_on(1, fill_sheaf, NULL);

		uint64_t held = in_sheaves();

		dolmen_fail_pages(0, UINT64_MAX);
		void *refused = kmem_cache_alloc(cache, GFP | __GFP_NORETRY);
		void *refused_node = kmem_cache_alloc_node(cache, GFP | __GFP_NORETRY, 0);
		CHECK(held && !refused && !refused_node, "%lu held, %p, %p", held, refused,
			refused_node);
		CHECK(in_sheaves() == held, "%lu in sheaves, %lu before", in_sheaves(), held);
		void *object = kmem_cache_alloc(cache, GFP);
		CHECK(object, "%lu objects were not given up", held);
		kmem_cache_free(cache, object);
		dolmen_fail_pages(0, 0);
	}
	destroy_empty(cache);
}
