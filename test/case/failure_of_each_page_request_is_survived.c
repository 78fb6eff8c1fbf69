/*
 * Growing that failed was written through, or left something half made, elsewhere. Each page
 * request of a call fails in turn, once and from then on: the call gives NULL or what was asked
 * for, and everything can be given back.
 */
#include <dolmen/init.h>
#include "lib/string.h"
#include "mm/page_alloc.h"
#include "test/slab_tools.h"

#define GFP (GFP_KERNEL | __GFP_NOWARN)

static struct kmem_cache *cache;

/* Objects out of all caches, the allocator's own among them. */
static uint64_t all_in_use(void)
{
	static struct cache_stats stats;
	uint64_t sum = 0;

	for (unsigned n = 0; cache_stats_nth(n, &stats); n++)
		sum += stats.in_use;
	return sum;
}

static bool small(void)
{
	bool whole = true;

	for (unsigned class = 0; class < NR_KMALLOC_CLASSES; class ++) {
		size_t bytes = kmem_cache_size(kmalloc_caches[class][0]);
		void *object = kmalloc_var(bytes, GFP);

		whole = whole && object;
		if (object)
			memset(object, 1, bytes);
		kfree(object);
	}
	return whole;
}

/* So many that the caches of which caches are made need pages too. */
static bool make_caches(void)
{
	static struct kmem_cache *made[40];
	bool whole = true;

	for (unsigned i = 0; i < 40; i++) {
		made[i] = kmem_cache_create("half made", 300, 0, 0, NULL);
		void *object = made[i] && i % 8 == 0 ? kmem_cache_alloc(made[i], GFP) : NULL;

		whole = whole && made[i] && (i % 8 || object);
		if (made[i])
			kmem_cache_free(made[i], object);
	}
	for (unsigned i = 0; i < 40; i++)
		CHECK(kmem_cache_destroy(made[i]), "not destroyed");
	return whole;
}

static bool many(void)
{
	void *objects[40];
	bool whole = true;

	for (unsigned i = 0; i < 40; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP);
		whole = whole && objects[i];
		if (objects[i])
			fill(objects[i], 1000, i);
	}
	for (unsigned i = 0; i < 40; i++) {
		CHECK(!objects[i] || filled(objects[i], 1000, i), "object %u shares memory", i);
		kmem_cache_free(cache, objects[i]);
	}
	return whole;
}

static bool at_once(void)
{
	void *objects[40];
	bool whole = kmem_cache_alloc_bulk(cache, GFP, 40, objects);

	if (whole)
		kmem_cache_free_bulk(cache, 40, objects);
	return whole;
}

static bool set_aside(void)
{
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP, 20);

	if (!sheaf)
		return false;
	bool whole = !kmem_cache_refill_sheaf(cache, GFP, &sheaf, 1000);
	kmem_cache_return_sheaf(cache, GFP, sheaf);
	return whole;
}

static bool of_nodes(void)
{
	bool whole = true;

	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		void *object = kmalloc_node(1000, GFP, (int)nid);
		void *large = kmalloc_node(20000, GFP, (int)nid);

		whole = whole && object && large;
		kfree(object);
		kfree(large);
	}
	return whole;
}

static bool resized(void)
{
	static const size_t sizes[] = {100, 9000, 200, 40000, 3000, 16384};
	void *object = kmalloc(10, GFP), *moved;
	bool whole = object;

	if (object)
		fill(object, 10, 1);
	for (size_t i = 0; object && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		moved = krealloc(object, sizes[i], GFP);
		whole = whole && moved;
		if (moved)
			object = moved;
		CHECK(filled(object, 10, 1), "krealloc to %zu lost the contents", sizes[i]);
	}
	kfree(object);
	return whole;
}

static const struct {
	const char *name;
	bool (*call)(void);
} calls[] = {{"small objects", small}, {"making caches", make_caches}, {"a cache's slabs", many},
	{"many at once", at_once}, {"prefilled sheaves", set_aside},
	{"nodes and large blocks", of_nodes}, {"krealloc", resized}};

CONTRACT("whichever page request fails, the call gives NULL or what was asked for, and loses "
	 "nothing",
	"make_cache forgets take_apart, or grow does not look whether it got a slab")
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		for (unsigned for_ever = 0; for_ever < 2; for_ever++) {
			unsigned nr = 0;
			bool whole;

			do {
				cache = kmem_cache_create("failing", 1000, 0, 0, NULL);
				dolmen_drain_all();
				page_alloc_drain();
				uint64_t before = numa_free_pages(NUMA_NO_NODE),
					 in_use = all_in_use();
				uint64_t failures = page_alloc_failures();
				dolmen_fail_pages(nr, for_ever ? UINT64_MAX : 1);
				whole = calls[i].call() && page_alloc_failures() == failures;
				dolmen_fail_pages(0, 0);
				dolmen_drain_all();
				page_alloc_drain();
				CHECK(numa_free_pages(NUMA_NO_NODE) == before,
					"%s, request %u: %lu pages lost", calls[i].name, nr,
					before - numa_free_pages(NUMA_NO_NODE));
				CHECK(all_in_use() == in_use,
					"%s, request %u: %lu objects in use, not %lu",
					calls[i].name, nr, all_in_use(), in_use);
				destroy_empty(cache);
			} while (!whole && ++nr < 1000);
			CHECK(nr && nr < 1000, "%s: %u page requests", calls[i].name, nr);
		}
	}
	CHECK(small() && make_caches(), "not usable afterwards");
}
