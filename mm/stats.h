/*
 * What slabinfo and stats show.
 */
#ifndef MM_STATS_H
#define MM_STATS_H

#include <dolmen/slab.h>
#include "mm/slab.h"

/* One cache, exact while nobody allocates from it or frees to it. */
struct cache_stats {
	const char *name;
	uint32_t object_bytes; /* usable */
	uint32_t stride_bytes; /* from one object to the next */
	uint32_t objects_per_slab;
	uint32_t order;
	uint64_t slabs;
	uint64_t pages;	     /* of that many slabs of the usual order */
	uint64_t objects;    /* in all slabs */
	uint64_t in_use;     /* of these, handed out */
	uint64_t in_sheaves; /* neither handed out nor in the free set of a slab */
	uint64_t cpu_slabs;  /* frozen slabs held by CPUs */
	uint64_t partial;    /* slabs on the lists of nodes */
	uint64_t node_partial[DOLMEN_MAX_NODES];
	uint64_t hoard_bound;	 /* bytes that CPUs, barns and lists may keep free by the limits */
	uint32_t waste_permille; /* of a slab, what no object uses */
	uint32_t knobs[NR_CACHE_KNOBS];
	/* Sums over CPUs. FREE_SLOWPATH is all frees here, FREE_FROZEN those into frozen slabs. */
	uint64_t stat[NR_KEPT_STATS];
};

/* The n-th cache, n from 0; false past the last. Any context but NMI. */
bool cache_stats_nth(unsigned n, struct cache_stats *out);
void cache_stats(struct kmem_cache *cache, struct cache_stats *out);

/* The sum of a counter over all caches and CPUs. */
uint64_t slab_stat_total(enum slab_stat stat);

/* SLUB's name of a counter, "ALLOC_SLOWPATH". */
const char *slab_stat_name(enum slab_stat stat);

#endif
