/*
 * The small machine that programs run on, and what must hold of it.
 *
 * Three CPUs; one node, or two with CPUs 0 and 2 on node 0 and CPU 1 on node 1. A node has some
 * dozens of pages. mm/ boots on it as on any machine, with a few caches of the model's own in
 * place of the size classes.
 */
#ifndef TEST_MODEL_WORLD_H
#define TEST_MODEL_WORLD_H

#include "arch/model/model.h"
#include "mm/slab.h"

#define WORLD_NODES_MAX 2
#define WORLD_PAGES	192 /* of one node, those for metadata included */
#define WORLD_POOL	48  /* of these, about what is left for slabs */
#define WORLD_CACHES	15  /* own ones, those of the library, and what programs make */
#define WORLD_SHEAF_MAX 4   /* objects in a sheaf */

enum world_cache {
	CACHE_ONE,	/* 1 object a slab: full and empty are one step apart */
	CACHE_TWO,	/* 2 */
	CACHE_FOUR,	/* 4, constructed */
	CACHE_EIGHT,	/* 8 */
	CACHE_FALLBACK, /* 4 in 2 pages, or 2 in one when there are no two */
	CACHE_LIKE_ONE, /* 1 as well, to take over a page of the other */
	CACHE_WIDE,	/* 72, with its free set at the end of the slab */
	NR_WORLD_CACHES
};

#define WIDE_OBJECTS 72

/* The caches of the library itself come behind these. */
#define CACHE_FIRST_MADE (NR_WORLD_CACHES + 2 + SHEAF_CACHES)

extern const char *const world_cache_names[NR_WORLD_CACHES];
extern struct kmem_cache *world_caches[WORLD_CACHES]; /* NULL: none */
extern unsigned world_nr_nodes;
extern unsigned world_wrong_page_frees;		  /* reported since somebody set it to 0 */
extern struct page *world_pages[WORLD_NODES_MAX]; /* the memmap of each node */
extern unsigned world_nr_pool[WORLD_NODES_MAX];	  /* pages from 0 to the last that is handed out */

/* Whether the page was handed out at start-up: neither a hole nor metadata. */
bool world_is_pool(struct page *page);

/* Boots. Ends the program if it cannot. */
void world_init(unsigned nr_nodes);

unsigned world_cpu_node(unsigned cpu);

static inline bool world_is_of_sheaves(const struct kmem_cache *cache)
{
	return cache == sheaf_caches[0] || cache == sheaf_caches[1];
}

/* Tells the watch about a cache that a program made, or is about to destroy. */
unsigned world_add_cache(struct kmem_cache *cache);
void world_remove_cache(unsigned index);

/*
 * The one removed last is gone: no store to its CPUs' parts is right; or its place may be used
 * again.
 */
void world_bury_cache(bool buried);

/* What mm/ finds by accesses of its own, here without a switch point. */
static inline struct kmem_cache_cpu *world_cpu_part(const struct kmem_cache *cache, unsigned cpu)
{
	return (struct kmem_cache_cpu *)((char *)model_cpus[cpu].percpu + cache->kc_cpu_offset);
}

static inline struct pcp *world_page_cache(unsigned cpu)
{
	return (struct pcp *)((char *)model_cpus[cpu].percpu + PCP_OFFSET);
}

static inline char *world_page_address(const struct page *page)
{
	return model_base + ((uint64_t)page->pg_pfn_low << PAGE_SHIFT);
}

/* NULL: no page of the world. */
struct page *world_page_of(const void *address);

/* Node and index of a page of the world; false for any other pointer. */
bool world_find_page(const struct page *page, unsigned *nid, unsigned *index);

/* A bit for each 8 bytes of the pages of the world. */
#define GRANULE	      8u
#define GRANULE_WORDS (PAGE_SIZE / GRANULE / 64)
struct granules {
	uint64_t word[WORLD_NODES_MAX][WORLD_PAGES][GRANULE_WORDS];
};

/* The word of the first bit of an object of the world, and that bit; NULL: it is none. */
static inline uint64_t *granule_of(struct granules *granules, const void *object, uint64_t *bit)
{
	uint64_t at = (uint64_t)((const char *)object - model_base);
	const struct page *page = world_page_of(object);
	unsigned nid, index;

	if (!page || !world_find_page(page, &nid, &index))
		return NULL;
	*bit = 1ul << at / GRANULE % 64;
	return &granules->word[nid][index][at % PAGE_SIZE / GRANULE / 64];
}

/* For messages; of the call before last it is gone. */
const char *page_name(const struct page *page);

/* ---- watch.c: ghost state, changed in the step that it describes ---- */

/* Takes the state from memory as it is. */
void watch_init(void);

/*
 * Before each program. `generation_bits` of the counters' generation are kept. `exact`: no sheaves,
 * what reaches a slab is what is being freed; `wrong_frees`: it may be somebody's.
 */
void watch_begin(unsigned generation_bits, bool exact, bool wrong_frees);

/* The object is out, and nobody else's; the object is about to be freed. */
void watch_took(struct kmem_cache *cache, const void *object, size_t size_bytes);
void watch_gives(struct kmem_cache *cache, const void *object, size_t size_bytes);

/* Pages that the program holds. */
void watch_hold_pages(struct page *page, unsigned order, bool held);

/*
 * Everything that must hold when nobody is in a call. `exact_limits`: no limit was changed in
 * this program.
 */
void watch_check_all(bool exact_limits);

/* Objects of the cache that are free, in slabs of a node, or of all with NUMA_NO_NODE. */
unsigned watch_free_objects(const struct kmem_cache *cache, int nid);

/* Free pages of a node by looking at every block. */
unsigned watch_free_pages(unsigned nid);

/* ---- sheaves.c: the same for the arrays in front of slabs ---- */

/* A word of a CPU's part of a cache is written: perhaps one of its slots for a sheaf. */
void watch_sheaf_slot(struct kmem_cache_cpu *c, const void *at);

/*
 * All is quiet: looks at every sheaf of every cache. Then tells whether an object is in one, or
 * whether this sheaf was found.
 */
void watch_find_sheaves(bool exact_limits);
bool watch_in_sheaf(const void *object);

/* Whether the word is of a sheaf, a barn or a CPU's slot for a sheaf. */
bool watch_of_sheaves(const void *at);

/* ---- pages.c: the same for page caches ---- */

/* All is quiet: the n-th block in a CPU's page cache of that node; NULL: there are no more. */
const struct page *watch_cached_block(unsigned cpu, unsigned nid, unsigned n, unsigned *order);

/* Whether the word is of a CPU's page cache. */
bool watch_of_page_cache(const void *at);

#endif
