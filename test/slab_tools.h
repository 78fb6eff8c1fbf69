/*
 * What many contracts of slabs, caches and kmalloc ask: how many objects are out, where an object
 * lies, whether its bytes are whole; slabs in a known state; and traffic from all CPUs whose every
 * wrong step shows.
 */
#ifndef TEST_SLAB_TOOLS_H
#define TEST_SLAB_TOOLS_H

#include <dolmen/numa.h>
#include <dolmen/slab.h>
#include "mm/slab.h"
#include "mm/stats.h"
#include "test/contract.h"

static inline uint64_t objects_in_use(struct kmem_cache *cache)
{
	struct cache_stats stats;

	cache_stats(cache, &stats);
	return stats.in_use;
}

static inline uint64_t nr_slabs(struct kmem_cache *cache)
{
	struct cache_stats stats;

	cache_stats(cache, &stats);
	return stats.slabs;
}

static inline uint64_t stat_of(struct kmem_cache *cache, enum slab_stat stat)
{
	struct cache_stats stats;

	cache_stats(cache, &stats);
	return stats.stat[stat];
}

static inline uint64_t partial_slabs(struct kmem_cache *cache, unsigned nid)
{
	return port_load(&cache->kc_node[nid]->kn_nr_partial);
}

/* The barn of CPU 0's memory node that it trades in. */
static inline struct barn *barn_of_cpu_0(struct kmem_cache *cache)
{
	return barn_near(cache->kc_node[cpu_to_mem(0)], cache_cpu(cache, 0));
}

static inline struct page *slab_of(const void *object)
{
	uint64_t word;

	return object_page(object, &word);
}

static inline unsigned object_node(const void *object)
{
	return page_node(port_load(&slab_of(object)->pg_word));
}

/* Destroys a cache that must be empty by now. */
static inline void destroy_empty(struct kmem_cache *cache)
{
	CHECK(!objects_in_use(cache), "%lu objects in use", objects_in_use(cache));
	CHECK(kmem_cache_destroy(cache), "not destroyed");
}

/* ---- bytes ---- */

static inline void fill(void *object, size_t bytes, uint64_t seed)
{
	unsigned char *at = object;

	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(seed * 31 + i * 7 + 1);
}

static inline bool filled(const void *object, size_t bytes, uint64_t seed)
{
	const unsigned char *at = object;

	for (size_t i = 0; i < bytes; i++)
		if (at[i] != (unsigned char)(seed * 31 + i * 7 + 1))
			return false;
	return true;
}

static inline bool all_zero(const void *object, size_t bytes)
{
	const unsigned char *at = object;

	for (size_t i = 0; i < bytes; i++)
		if (at[i])
			return false;
	return true;
}

/* ---- CPUs and nodes as seen from CPU 0 ---- */

/* Another CPU with the same memory node; 0: none. */
static inline unsigned near_cpu(void)
{
	for (unsigned cpu = 1; cpu < test_nr_cpus(); cpu++)
		if (cpu_to_mem(cpu) == cpu_to_mem(0))
			return cpu;
	return 0;
}

/* A CPU with another memory node; 0: none. */
static inline unsigned far_cpu(void)
{
	for (unsigned cpu = 1; cpu < test_nr_cpus(); cpu++)
		if (cpu_to_mem(cpu) != cpu_to_mem(0))
			return cpu;
	return 0;
}

/* ---- slabs in a known state ---- */

/*
 * All objects of `nr` new slabs of a cache without any, of node `nid`. Afterwards the slabs are
 * full and on no list. The objects of slab s are objects[s * kc_best.objects] and what follows.
 * False: memory is short.
 */
static inline bool take_slabs(struct kmem_cache *cache, int nid, unsigned nr, void **objects)
{
	unsigned per_slab = cache->kc_best.objects;
	bool whole = true;

	for (unsigned i = 0; i < nr * per_slab; i++) {
		objects[i] = kmem_cache_alloc_node(cache, GFP_KERNEL | __GFP_THISNODE, nid);
		whole = whole && objects[i] &&
			slab_of(objects[i]) == slab_of(objects[i - i % per_slab]);
	}
	partial_drain_cpu(cache, 0);
	CHECK(whole, "the objects are not those of %u whole slabs", nr);
	return whole;
}

static inline void free_some(struct kmem_cache *cache, void **objects, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		kmem_cache_free(cache, objects[i]);
}

/* ---- all CPUs at once ---- */

/* Holds each CPU until all are here, so that what follows is really at once. `arrived` starts at
 * 0 and counts on. */
static inline void start_together(unsigned *arrived)
{
	unsigned nr_cpus = test_nr_cpus(),
		 end = port_fetch_add(arrived, 1u) / nr_cpus * nr_cpus + nr_cpus;

	while (port_load_acquire(arrived) < end)
		port_relax();
}

/*
 * fn(arg) on all CPUs, at least twice, and until `wanted` exchanges of the cache have found their
 * pair changed: a test of exchanges that never collide is none. It gives up after 40 times, and
 * says so.
 */
static inline void run_until_collisions(
	struct kmem_cache *cache, void (*fn)(void *), void *arg, uint64_t wanted)
{
	for (unsigned batch = 0; batch < 40; batch++) {
		test_run_on_all(fn, arg);
		if (test_nr_cpus() == 1 ||
			(batch >= 1 && stat_of(cache, CMPXCHG_DOUBLE_FAIL) >= wanted))
			return;
	}
	contract_skip("too few exchanges collided to say anything");
}

/* ---- traffic ---- */

#define TRAFFIC_SLOTS 256

/*
 * Objects change owners through slots that all CPUs share: each round puts a new object into a slot
 * and frees the one that was there, which most likely another CPU allocated. The first word of a
 * free object is 0, by constructor and by the one who frees; so an object that is handed out twice,
 * or freed while in use, is seen at once.
 */
struct traffic {
	struct kmem_cache *cache;
	unsigned rounds;   /* of each CPU */
	unsigned nr_slots; /* at most TRAFFIC_SLOTS; few: CPUs meet in the same slabs more often */
	unsigned arrived;
	uint64_t nr_damaged;
	uint64_t nr_null;
	uint64_t *slots[TRAFFIC_SLOTS];
};

/* About 100000 rounds in all. */
static inline struct traffic traffic_of(struct kmem_cache *cache, unsigned nr_slots)
{
	return (struct traffic){
		.cache = cache, .nr_slots = nr_slots, .rounds = 100000 / test_nr_cpus() + 1};
}

static inline void traffic_ctor(void *object)
{
	*(uint64_t *)object = 0;
}

static inline void traffic_free(struct traffic *traffic, uint64_t *object)
{
	size_t last = traffic->cache->kc_object_bytes / 8 - 1;
	uint64_t tail = object[last], mark = port_swap(object, (uint64_t)0);

	if (!mark || (last && tail != mark))
		port_fetch_add(&traffic->nr_damaged, (uint64_t)1);
	kmem_cache_free(traffic->cache, object);
}

static inline uint64_t *traffic_alloc(struct traffic *traffic, uint64_t mark)
{
	size_t last = traffic->cache->kc_object_bytes / 8 - 1;
	uint64_t *object = kmem_cache_alloc(traffic->cache, GFP_KERNEL | __GFP_NOWARN);

	if (!object) {
		port_fetch_add(&traffic->nr_null, (uint64_t)1);
		return NULL;
	}
	if (port_swap(object, mark))
		port_fetch_add(&traffic->nr_damaged, (uint64_t)1);
	object[last] = mark;
	return object;
}

/* One round: `random` is the caller's own state and never 0. */
static inline void traffic_step(struct traffic *traffic, uint64_t *random)
{
	*random = *random * 6364136223846793005ul + 1442695040888963407ul;
	uint64_t *object = traffic_alloc(traffic, *random | 1);
	uint64_t *old = port_swap(&traffic->slots[(*random >> 33) % traffic->nr_slots], object);

	if (old)
		traffic_free(traffic, old);
}

static inline void traffic_run(void *arg)
{
	struct traffic *traffic = arg;
	uint64_t random = test_random() | 1;

	start_together(&traffic->arrived);
	for (unsigned i = 0; i < traffic->rounds; i++)
		traffic_step(traffic, &random);
}

/* Frees what is left in the slots and checks that nothing was lost or damaged. */
static inline void traffic_end(struct traffic *traffic)
{
	for (unsigned i = 0; i < TRAFFIC_SLOTS; i++) {
		if (traffic->slots[i])
			traffic_free(traffic, traffic->slots[i]);
		traffic->slots[i] = NULL;
	}
	CHECK(!traffic->nr_damaged, "%lu objects were handed out twice or overwritten",
		traffic->nr_damaged);
	CHECK(!traffic->nr_null, "%lu requests failed", traffic->nr_null);
	CHECK(!objects_in_use(traffic->cache), "%lu objects in use, by the counters",
		objects_in_use(traffic->cache));
}

#endif
