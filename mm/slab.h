/*
 * Inside the slab allocator: what its rooms (slab, partial, barn, sheaf, cache, kmalloc, check,
 * stats) share.
 */
#ifndef MM_SLAB_H
#define MM_SLAB_H

#include <dolmen/port.h>
#include <dolmen/slab.h>
#include "lib/memory.h"
#include "lib/names.h"
#include "mm/barn.h"
#include "mm/list.h"
#include "mm/lock.h"
#include "mm/memmap.h"
#include "mm/pcp.h"
#include "mm/percpu.h"

#define SLAB_PERMANENT 0x80000000u /* a cache of the library itself: not to be destroyed */

/* Of what fast paths fall back to: in one function with all it calls, unless size counts more. */
#ifdef __OPTIMIZE_SIZE__
#define slow_path noinline
#else
#define slow_path noinline, flatten
#endif

/*
 * The second word of a slab's pair:
 *
 *	 63           32  31  30    28 27      16 15     0
 *	|  generation   | fz | window | objects  | inuse  |
 */
#define SLAB_INUSE_ONE	  1ul
#define SLAB_INUSE_MASK	  0xfffful
#define SLAB_OBJECT_SHIFT 16
#define SLAB_OBJECTS_MAX  0xffful
#define SLAB_WINDOW_SHIFT 28
#define SLAB_WINDOW_MASK  7ul
#define SLAB_FROZEN	  (1ul << 31)
#define SLAB_GENERATION	  (1ul << 32)

#define WINDOW_OBJECTS 64u /* objects whose free bits the first word of the pair holds */

_Static_assert(PAGE_SIZE / 8 <= WINDOW_OBJECTS * (SLAB_WINDOW_MASK + 1),
	"the windows of one page of the smallest objects have numbers");

static inline unsigned pair_inuse(uint64_t counters)
{
	return counters & SLAB_INUSE_MASK;
}

static inline unsigned pair_objects(uint64_t counters)
{
	return counters >> SLAB_OBJECT_SHIFT & SLAB_OBJECTS_MAX;
}

/*
 * No object to take. Above and not only at the number of objects: a free sets the bit of an object
 * outside the window before it lowers inuse, and the object may be taken again in between.
 */
static inline bool pair_full(uint64_t counters)
{
	return pair_inuse(counters) >= pair_objects(counters);
}

/* Objects that are free by the counters. */
static inline unsigned pair_free(uint64_t counters)
{
	return pair_full(counters) ? 0 : pair_objects(counters) - pair_inuse(counters);
}

static inline unsigned pair_window(uint64_t counters)
{
	return counters >> SLAB_WINDOW_SHIFT & SLAB_WINDOW_MASK;
}

/* The pair with one object less in the free set. */
static inline struct port_pair pair_less(struct port_pair old)
{
	return (struct port_pair){old.lo & (old.lo - 1), old.hi + SLAB_INUSE_ONE + SLAB_GENERATION};
}

/*
 * Counters of one cache on one CPU, under SLUB's names. The first group is always kept; the second
 * with DOLMEN_SLUB_STATS. Those that say "never" name events that this design does not have, or
 * does not have yet.
 */
enum slab_stat {
	ALLOC_SLOWPATH,	     /* an object came from a slab of this CPU or a list */
	FREE_SLOWPATH,	     /* an object went into a slab that was not frozen */
	FREE_FROZEN,	     /* an object went into a frozen slab: derived from the others */
	ALLOC_FROM_PARTIAL,  /* a slab moved from a node's list to a CPU */
	ALLOC_SLAB,	     /* a new slab */
	FREE_SLAB,	     /* an empty slab given back */
	CPU_PARTIAL_FREE,    /* a full slab got an object back and was frozen onto this CPU */
	CPU_PARTIAL_DRAIN,   /* this CPU's slots were full: half handed to their nodes */
	ORDER_FALLBACK,	     /* a new slab of the smallest order, for want of a larger block */
	CMPXCHG_DOUBLE_FAIL, /* an exchange found the pair changed */
	ALLOC_NODE_MISMATCH, /* a slab of this CPU was not of the node asked for */
	NR_SLOW_STATS,
	ALLOC_FASTPATH = NR_SLOW_STATS, /* an object came from a sheaf, without the slow lock */
	FREE_FASTPATH,			/* an object went into one */
	FREE_ADD_PARTIAL,		/* a free put a slab on its node's list */
	FREE_REMOVE_PARTIAL,		/* a free took an empty slab off its node's list */
	ALLOC_REFILL,			/* the window of the CPU's slab moved */
	CPUSLAB_FLUSH,			/* a CPU's slabs were all taken from it */
	DEACTIVATE_FULL,		/* a slab taken from a CPU was full */
	DEACTIVATE_EMPTY,		/* ... had no object out and was given back */
	DEACTIVATE_TO_HEAD,		/* ... went to its node's list */
	DEACTIVATE_TO_TAIL,		/* never: lists are ordered by bucket */
	DEACTIVATE_REMOTE_FREES,	/* a used-up slab got objects back before it was thawed */
	DEACTIVATE_BYPASS,		/* a used-up slab was thawed */
	CMPXCHG_DOUBLE_CPU_FAIL,	/* an exchange for an allocation found the pair changed */
	CPU_PARTIAL_ALLOC,		/* the next of the CPU's slabs became the current one */
	CPU_PARTIAL_NODE,		/* a further slab moved in one refill */
	NR_SLAB_STATS,
};

_Static_assert(NR_SLAB_STATS == 26, "SLUB's 26");

#ifdef DOLMEN_SLUB_STATS
#define NR_KEPT_STATS NR_SLAB_STATS
#else
#define NR_KEPT_STATS NR_SLOW_STATS
#endif

/* A sheaf is a port_stack of free objects before a CPU's slabs; the closed one is closed_stack. */
#define SHEAF_MAX   254u /* objects that a sheaf may have room for */
#define SHEAF_START 62u	 /* capacity that a cache begins with, if it may have so much */

/*
 * SLAB_FROZEN with CMPXCHG16B, 0 in page-lock mode: slabs into which a free may go without asking
 * for the mode.
 */
extern uint32_t slab_frozen_fast;

/* The cache of a page whose slab has ended: of all its objects, none. */
extern struct kmem_cache no_cache;

#define CROSS_SLOTS   4 /* nodes as far apart in number share one; a power of two */
#define CPU_SLABS_MAX 8 /* slots for frozen slabs of one CPU and cache */

/*
 * One CPU's part of a cache. All but counters, ticks and what sweeps note is under cc_lock, the
 * slow lock, with interrupts off; what is in the two slots is also taken and put by windows of this
 * CPU, which need no lock.
 */
struct kmem_cache_cpu {
	struct port_slot cc_main; /* objects of the CPU's memory node; closed: exact, or idle */
	struct port_slot cc_cross[CROSS_SLOTS]; /* objects of other nodes, see cross_offset() */
	struct port_stack *cc_spare;		/* the next main: full or empty as a rule */
	struct spinlock cc_lock;
	uint16_t cc_nr;	    /* slots in use */
	uint16_t cc_nid;    /* the CPU's memory node; constant */
	uint16_t cc_llc;    /* its last-level cache, by which it chooses barns; constant */
	uint32_t cc_remote; /* remote_ratio added up, see refill_from_remote() */
	uint32_t cc_idle;   /* what changes with use, and ... */
	uint16_t cc_trades; /* ... the trades in the node's barn, at the last sweep */
	uint32_t cc_ticks;  /* since this CPU's last sweep; kept in the first cache alone */
	char *cc_base;	    /* address of the objects of cc_slab[0] */
	struct page *cc_slab[CPU_SLABS_MAX]; /* frozen; [0] is allocated from, NULL: none */
	uint64_t cc_stat[NR_KEPT_STATS];     /* this CPU, interrupts on or off: port_count() */
};

_Static_assert(offsetof(struct kmem_cache_cpu, cc_main) == 0, "the offset in pg_word is a sheaf's");

#define PARTIAL_BUCKETS 4 /* by quarters of the slab that were free when it was put on the list */

/* One node's part of a cache. All but the two totals and kn_dry under kn_lock. */
struct kmem_cache_node {
	struct spinlock kn_lock;
	uint32_t kn_nr_partial;
	struct list_head kn_partial[PARTIAL_BUCKETS]; /* unfrozen slabs with room, all of them */
	bool kn_dry;	     /* the last slab asked of this node came from another; a hint */
	uint64_t kn_slabs;   /* slabs of this node; atomic */
	uint64_t kn_objects; /* objects in them, free or not; atomic */
	uint32_t kn_nr_barns;
	struct barn kn_barn[]; /* for the CPUs of each last-level cache of the node */
};

/*
 * Where slabs come from and go back to: any allocator of naturally aligned 2^order pages with a
 * memmap.
 */
struct page_source {
	struct page *(*alloc)(struct page_source *source, int nid, gfp_t gfp, unsigned order);
	void (*free)(struct page_source *source, struct page *page, unsigned order);
};

/* How objects lie in a slab of one order. */
struct slab_geometry {
	uint32_t order;
	uint32_t objects;
};

/*
 * Constant after creation, but for the limits: those are single words that anyone may set at any
 * time.
 */
struct kmem_cache {
	uint32_t kc_cpu_offset;	  /* of struct kmem_cache_cpu */
	uint32_t kc_stride;	  /* bytes from one object to the next */
	uint32_t kc_wide;	  /* offset in a slab of the free words; 0: the window is all */
	uint32_t kc_offset_mask;  /* bytes of a slab of the usual order, minus one */
	uint32_t kc_reciprocal;	  /* 2^32 / stride, rounded up */
	uint32_t kc_object_bytes; /* bytes a user may use */
	uint32_t kc_cpu_slabs;	  /* limit: slots of kmem_cache_cpu in use, 1..CPU_SLABS_MAX */
	uint32_t kc_min_partial; /* limit: an emptied slab stays while its node's list is shorter */
	uint32_t kc_max_partial; /* limit: what min_partial may be set to */
	uint32_t kc_remote_ratio; /* limit: per cent of empty refills that go elsewhere */
	uint32_t kc_sheaf_max;	  /* limit: objects in a sheaf; 0: no sheaves, each free is exact */
	uint32_t kc_sheaf_size;	  /* objects in a new sheaf, if not above the limit; adapts */
	uint32_t kc_barn_max;	  /* limit: sheaves in each node's barns */
	uint32_t kc_pins;	  /* visits under way: see cache_visit(); atomic */
	struct slab_geometry kc_best; /* what new slabs have */
	struct slab_geometry kc_min;  /* what they have when memory is short */
	unsigned kc_flags;
	gfp_t kc_gfp; /* added to each page request */
	void (*kc_ctor)(void *object);
	struct page_source *kc_source;
	const char *kc_name;
	struct list_head kc_list;			   /* all caches; cache list lock */
	struct kmem_cache_node *kc_node[DOLMEN_MAX_NODES]; /* NULL: node without memory */
};

static inline struct kmem_cache_cpu *cache_cpu(struct kmem_cache *cache, unsigned cpu)
{
	return percpu_ptr(cache->kc_cpu_offset, cpu);
}

static inline struct kmem_cache_cpu *cache_this_cpu(struct kmem_cache *cache)
{
	return this_percpu(cache->kc_cpu_offset);
}

static inline void slab_count(struct kmem_cache *cache, enum slab_stat stat)
{
	if (stat < NR_KEPT_STATS)
		port_count(&cache_this_cpu(cache)->cc_stat[stat], 1);
}

/*
 * The page of a pointer that may be anything, and its first word: the head if it is a slab or large
 * block; NULL if the pointer has no page.
 */
static inline struct page *object_page(const void *object, uint64_t *word)
{
	struct page *page = addr_to_page(object);

	*word = page ? port_load_acquire(&page->pg_word) : PAGE_RESERVED;
	return page && *word & PAGE_TAIL ? port_load(&page->pg_head) : page;
}

/*
 * Of the page that a pointer is to, which may be anything: cache, node and kind, whatever the zone
 * and the order of the slab, and which of its pages.
 */
static inline uint64_t object_label(const void *object)
{
	struct page *page = addr_to_page(object);
	uint64_t word = page ? port_load_acquire(&page->pg_word) : PAGE_RESERVED;

	return word & ~(PAGE_ZONE_MASK | PAGE_TAIL | PAGE_ODD_ORDER);
}

/* ---- what check.c registers, so that earlier rooms can report ---- */

enum wrong_free {
	FREE_FOREIGN,  /* not memory of ours, or not handed out by kmalloc or a cache (any more) */
	FREE_INTERIOR, /* inside an object or block, not its start */
	FREE_TWICE,    /* free already */
	FREE_WRONG_CACHE, /* kmem_cache_free() with a cache that is not the object's */
};

struct slab_reports {
	/*
	 * `cache` is the object's own, NULL if there is none; `given` the one passed to
	 * kmem_cache_free().
	 */
	void (*wrong_free)(enum wrong_free kind, struct kmem_cache *cache, struct kmem_cache *given,
		const void *object, const void *caller);
	void (*live_objects)(struct kmem_cache *cache); /* lists them */
};

extern struct slab_reports slab_reports;

/* ---- slab.c: one slab ---- */

/*
 * Objects that fit into 2^order pages, the free words of more than 64 taken off; 0 if that cannot
 * be.
 */
struct slab_geometry slab_geometry(size_t stride_bytes, unsigned order);

/* What a waste rule and the largest object give. False if no order holds one object. */
bool slab_choose_geometry(
	size_t stride_bytes, struct slab_geometry *best, struct slab_geometry *min);

/*
 * A new slab of the cache, frozen, all objects free and constructed, nearest to `nid`; NULL: out of
 * memory.
 */
struct page *slab_new(struct kmem_cache *cache, gfp_t gfp, int nid);

/* Gives back an unfrozen slab that is on no list and has no object out. */
void slab_discard(struct kmem_cache *cache, struct page *page);

bool cmpxchg_under_page_lock(struct page *page, struct port_pair old, struct port_pair new);

/* One compare-exchange of the pair. */
static inline bool cmpxchg_double_slab(
	struct page *page, struct port_pair old, struct port_pair new)
{
	if (likely(port_has_cas16()))
		return port_cas16(&page->pg_pair, &old, new);
	return cmpxchg_under_page_lock(page, old, new);
}

/*
 * Up to `max` objects of one window of a slab whose other takers the caller excludes, in one
 * exchange. How many; 0: it is full. `counters` are those of the slab then.
 */
unsigned slab_take_run(struct kmem_cache *cache, struct page *page, void **objects, unsigned max,
	uint64_t *counters);

/* An object of a slab whose other takers the caller excludes; NULL: full. */
void *slab_take(struct kmem_cache *cache, struct page *page);

/*
 * Word 0 of a slab or large block of 2^order pages: `label` is per-CPU offset, odd bit and kind.
 * Tails repeat it and point to the head. And back: pages in use, all alike.
 */
void label_pages(struct page *head, unsigned order, uint64_t label);
void unlabel_pages(struct page *head, unsigned order);

/*
 * The window of a used-up pair moves to where objects are free. The caller excludes takers; the
 * slab is wide and not full.
 */
void slab_move_window(struct kmem_cache *cache, struct page *page);

/* Where the objects of the window start. The caller excludes takers. */
char *slab_window_base(struct kmem_cache *cache, struct page *page);

bool slab_object_free(struct kmem_cache *cache, struct page *page, unsigned index);

static inline struct port_pair slab_pair(struct page *page)
{
	return (struct port_pair){
		port_load(&page->pg_pair.lo), port_load_acquire(&page->pg_pair.hi)};
}

/*
 * The pair with both words of one moment. Of slab_pair() the first word may be of an earlier window
 * than the second says; a window moves with the generation, so two readings alike are both right.
 */
static inline struct port_pair slab_pair_steady(struct page *page)
{
	struct port_pair first, second = slab_pair(page);

	do {
		first = second;
		second = slab_pair(page);
	} while (unlikely(first.lo != second.lo || first.hi != second.hi));
	return second;
}

/*
 * Index of an object by its address, or -1 if it is not the start of one. `mask`: bytes of the slab
 * minus one.
 */
static inline long slab_index(
	struct kmem_cache *cache, size_t mask, uint64_t counters, const void *object)
{
	size_t offset = (uintptr_t)object & mask;
	size_t index = (offset * cache->kc_reciprocal) >> 32;

	if (unlikely(index * cache->kc_stride != offset || index >= pair_objects(counters)))
		return -1;
	return (long)index;
}

static inline size_t slab_mask(struct page *page)
{
	return (PAGE_SIZE << port_load(&page->pg_order)) - 1;
}

static inline void *slab_object(struct kmem_cache *cache, struct page *page, unsigned index)
{
	return (char *)page_to_virt(page) + (size_t)index * cache->kc_stride;
}

/* Where the free bits of a wide slab are that are not in its window, a word for each window. */
static inline uint64_t *slab_words(struct kmem_cache *cache, struct page *page)
{
	return (uint64_t *)((char *)page_to_virt(page) + cache->kc_wide);
}

/* Objects of one window of a slab that are freed in one exchange. */
struct slab_run {
	struct page *page;
	unsigned window;
	unsigned nr;	  /* bits in `objects` */
	uint64_t objects; /* as in the free set */
};

/* The object of the lowest bit of `objects`. */
static inline void *slab_run_object(
	struct kmem_cache *cache, const struct slab_run *run, uint64_t objects)
{
	return slab_object(
		cache, run->page, run->window * WINDOW_OBJECTS + (unsigned)__builtin_ctzl(objects));
}

static inline void slab_run_leave_out(struct slab_run *run, uint64_t objects)
{
	run->objects &= ~objects;
	for (; objects; objects &= objects - 1)
		run->nr--;
}

/* Its objects are nobody's, before the exchange that frees them. */
static inline void slab_run_freed(struct kmem_cache *cache, const struct slab_run *run)
{
	for (uint64_t left = run->objects; left; left &= left - 1)
		port_object_freed(slab_run_object(cache, run, left), cache->kc_object_bytes);
}

/* After it: the run's objects are counted, if the slab was not frozen. */
static inline void slab_run_count(
	struct kmem_cache *cache, const struct slab_run *run, uint64_t counters)
{
	if (!(counters & SLAB_FROZEN))
		port_count(&cache_this_cpu(cache)->cc_stat[FREE_SLOWPATH], run->nr);
}

/*
 * Frees a run where that is but one exchange: the free set is in the pair, the slab stays where it
 * is, nothing is wrong and nobody interferes. False: partial_free_run() has it to do.
 */
static inline bool slab_free_run(struct kmem_cache *cache, const struct slab_run *run)
{
	struct port_pair old = slab_pair(run->page);
	struct port_pair new = {old.lo | run->objects, old.hi - run->nr * SLAB_INUSE_ONE};
	bool stays = old.hi & SLAB_FROZEN || (!pair_full(old.hi) && pair_inuse(new.hi));

	if (unlikely(!stays || cache->kc_wide || old.lo & run->objects ||
		     port_load(&run->page->pg_cache) != cache))
		return false;
	slab_run_freed(cache, run);
	if (unlikely(!cmpxchg_double_slab(run->page, old, new)))
		return false;
	slab_run_count(cache, run, old.hi);
	return true;
}

/* The word of a wide slab that holds an object's free bit while its window is elsewhere. */
static inline uint64_t *slab_word(struct kmem_cache *cache, const void *object, unsigned index)
{
	uintptr_t base = (uintptr_t)object & ~(PAGE_SIZE - 1);

	return (uint64_t *)(base + cache->kc_wide) + index / WINDOW_OBJECTS;
}

/* ---- partial.c: slabs between their CPU and their node ---- */

/*
 * What slab_alloc() leaves to them, as tail calls: interrupts are off and are as `flags` says on
 * return. _wait: the slow lock was not to be had; _slow finds it held.
 */
void *partial_alloc_wait(struct kmem_cache *cache, gfp_t gfp, unsigned long flags);
void *partial_alloc_slow(struct kmem_cache *cache, gfp_t gfp, unsigned long flags);
void *partial_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid);

/* An object of this CPU's memory node: the given one, or another for it. */
void *partial_alloc_own(struct kmem_cache *cache, gfp_t gfp, void *object);

/*
 * Up to `max` objects of this CPU's memory node out of its slabs, or of what its node has on its
 * list. How many. Slow lock held.
 */
unsigned partial_take_run(
	struct kmem_cache *cache, struct kmem_cache_cpu *c, void **objects, unsigned max);

/* Up to `max` objects of a node straight from its list. How many. Interrupts off. */
unsigned partial_take_list(
	struct kmem_cache *cache, struct kmem_cache_node *node, void **objects, unsigned max);

/* Every way to change the current slab or its window ends here. */
void partial_unlock(struct kmem_cache *cache, struct kmem_cache_cpu *c);

/*
 * Frees a run, none of whose objects is known to be free already: those that are, are reported. Any
 * slab in any state. `may_keep`: if it was full, it may stay on this CPU, which is of its node;
 * otherwise it goes to its node's list. The run is used up. Pages given back.
 */
size_t partial_free_run(
	struct kmem_cache *cache, struct slab_run *run, bool may_keep, const void *caller);

/* The same for one object, of a slab that may stay here: what slab_free() leaves to it. */
size_t partial_free_slow(
	struct kmem_cache *cache, struct page *page, unsigned index, const void *caller);

/*
 * Thaws at most CPU_SLABS_MAX slabs that the caller froze and nobody holds any more: full ones to
 * no list, others to their node's list or, if empty and the list is long enough, back to the page
 * source. Consecutive slabs of one node share one hold of its lock.
 * Pages given back.
 */
size_t partial_unfreeze(struct kmem_cache *cache, struct page **slabs, unsigned nr);

/* All of a CPU's slabs to their nodes, as above. Any CPU's, from any CPU. Pages given back. */
size_t partial_drain_cpu(struct kmem_cache *cache, unsigned cpu);

/* Gives back every empty slab on a node's list and sorts the rest; pages given back. */
size_t partial_shrink_node(struct kmem_cache *cache, struct kmem_cache_node *node);

/* ---- sheaf.c: the arrays in front of a CPU's slabs ---- */

/* Where a CPU trades in a node first. */
static inline struct barn *barn_near(struct kmem_cache_node *node, const struct kmem_cache_cpu *c)
{
	unsigned llc = port_load(&c->cc_llc);

	return &node->kn_barn[llc < port_load(&node->kn_nr_barns) ? llc : 0];
}

/* The caches of all sheaves, the small and the large; NULL until they can be made. */
#define SHEAF_CACHES 2
extern struct kmem_cache *sheaf_caches[SHEAF_CACHES];

/* The least that is made for a capacity. */
static inline unsigned sheaf_cache_of(uint32_t capacity)
{
	return capacity > SHEAF_START;
}

/* Allocation and free when the CPU's main sheaf does not serve. `page` is the head, of a slab. */
void *sheaf_alloc(struct kmem_cache *cache, gfp_t gfp);
void *sheaf_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid);
void sheaf_free(struct page *page, void *object, struct kmem_cache *given, const void *caller);

/*
 * Up to `max` objects of this CPU's memory node, from its sheaves, the barn's and slabs. How many;
 * 0: there are none without new memory.
 */
unsigned sheaf_take(struct kmem_cache *cache, void **objects, unsigned max);

/* The first objects of an array into this CPU's main and cross, as far as they go now. How many. */
unsigned sheaf_push_run(struct kmem_cache *cache, void **objects, unsigned nr);

/* An object of a node into this CPU's sheaf for it, which makes room. False: none takes it. */
bool sheaf_put(struct kmem_cache *cache, void *object, unsigned nid);

/* An array to its slabs; `caller`: NULL: its objects were freed before. Pages given back. */
size_t sheaf_flush(struct kmem_cache *cache, void **objects, size_t nr, const void *caller);

/*
 * All sheaves of any CPU to their slabs; another CPU's only with interrupts on. Pages given back.
 */
size_t sheaf_drain_cpu(struct kmem_cache *cache, unsigned cpu);

/*
 * Up to `most` full sheaves of a barn of node `nid`, of the slots `among`, to their slabs, and all
 * empty ones. Pages given back.
 */
size_t sheaf_drain_barn(
	struct kmem_cache *cache, unsigned nid, struct barn *barn, uint64_t among, unsigned most);

/* New sheaves have room for `size` objects, or for as many as at the beginning, if that is more. */
void sheaf_set_size(struct kmem_cache *cache, uint32_t size);

/* All of a cache: every CPU's sheaves and every barn. Pages given back. */
size_t sheaf_drain_all(struct kmem_cache *cache);

/* Objects in all sheaves of the cache; exact while nobody uses it. */
uint64_t sheaf_objects(struct kmem_cache *cache);

/*
 * ---- without sheaves: the CPU's current slab serves, the slab of a freed object is frozen ----
 *
 * Everything else is a tail call, so that these few instructions need no stack.
 */

static inline void *slab_zeroed(struct kmem_cache *cache, void *object, gfp_t gfp)
{
	return unlikely(gfp & __GFP_ZERO) && object ? memset(object, 0, cache->kc_object_bytes)
						    : object;
}

/* The same for an object of whatever slab the CPU had, which __GFP_THISNODE may not want. */
static inline void *slab_finished(struct kmem_cache *cache, void *object, gfp_t gfp)
{
	if (likely(!(gfp & (__GFP_ZERO | __GFP_THISNODE))))
		return object;
	return gfp & __GFP_THISNODE ? partial_alloc_own(cache, gfp, object)
				    : slab_zeroed(cache, object, gfp);
}

static inline __attribute__((always_inline)) void *slab_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	unsigned long flags = port_irq_save();
	struct kmem_cache_cpu *c = cache_this_cpu(cache);

	if (unlikely(!spin_trylock(&c->cc_lock)))
		return partial_alloc_wait(cache, gfp, flags);
	struct page *page = port_load(&c->cc_slab[0]);
	if (unlikely(!page || !port_has_cas16()))
		return partial_alloc_slow(cache, gfp, flags);
	struct port_pair old = slab_pair(page);
	if (unlikely(!old.lo))
		return partial_alloc_slow(cache, gfp, flags);
	if (unlikely(!port_cas16(&page->pg_pair, &old, pair_less(old)))) {
		slab_count(cache, CMPXCHG_DOUBLE_CPU_FAIL);
		return partial_alloc_slow(cache, gfp, flags);
	}
	void *object = port_load(&c->cc_base) + (size_t)__builtin_ctzl(old.lo) * cache->kc_stride;
	port_object_taken(object, cache->kc_object_bytes);
	port_count(&c->cc_stat[ALLOC_SLOWPATH], 1);
	spin_unlock(&c->cc_lock);
	port_irq_restore(flags);
	return slab_finished(cache, object, gfp);
}

/*
 * Frees an object of a slab by its head page. `given`: the cache that the caller named, NULL: any.
 * The cache is read after the pair: if the slab ends and begins anew in between, the pair is that
 * of the new life, or the exchange fails.
 */
static inline __attribute__((always_inline)) void slab_free(
	struct page *page, const void *object, struct kmem_cache *given, const void *caller)
{
	struct port_pair old = slab_pair(page);
	struct kmem_cache *cache = port_load_acquire(&page->pg_cache);

	if (unlikely(given && cache != given)) {
		slab_reports.wrong_free(FREE_WRONG_CACHE, cache, given, object, caller);
		return;
	}
	long index = slab_index(cache, slab_mask(page), old.hi, object);
	if (unlikely(index < 0)) {
		slab_reports.wrong_free(FREE_INTERIOR, cache, given, object, caller);
		return;
	}
	uint64_t bit = 1ul << (index % WINDOW_OBJECTS);
	if (unlikely(cache->kc_wide) &&
		unlikely(index / WINDOW_OBJECTS != pair_window(old.hi) ||
			 port_load(slab_word(cache, object, (unsigned)index)) & bit)) {
		partial_free_slow(cache, page, (unsigned)index, caller);
		return;
	}
	struct port_pair new = {old.lo | bit, old.hi - SLAB_INUSE_ONE};
	if (unlikely(new.lo == old.lo)) { /* free already, or the two words are of two windows */
		partial_free_slow(cache, page, (unsigned)index, caller);
		return;
	}
	port_object_freed(object, cache->kc_object_bytes);
	if (likely(old.hi & slab_frozen_fast)) {
		if (likely(port_cas16(&page->pg_pair, &old, new)))
			return;
		slab_count(cache, CMPXCHG_DOUBLE_FAIL);
	}
	partial_free_slow(cache, page, (unsigned)index, caller);
}

/*
 * ---- what the calls do: this CPU's main sheaf serves, in one window ----
 */

static inline void sheaf_count(uint32_t cpu_offset, enum slab_stat stat)
{
	if (stat < NR_KEPT_STATS)
		port_count(&((struct kmem_cache_cpu *)this_percpu(cpu_offset))->cc_stat[stat], 1);
}

static inline __attribute__((always_inline)) void *sheaf_pop(struct kmem_cache *cache, gfp_t gfp)
{
	void *object = port_slot_pop(cache->kc_cpu_offset);

	if (unlikely(!object))
		return sheaf_alloc(cache, gfp);
	sheaf_count(cache->kc_cpu_offset, ALLOC_FASTPATH);
	port_object_taken(object, cache->kc_object_bytes);
	return slab_zeroed(cache, object, gfp);
}

/* The home of an object: node and kind of its slab, as in pg_word. */
static inline uint16_t slab_home(unsigned nid)
{
	return (uint16_t)(nid << PAGE_NODE_SHIFT | PAGE_SLAB);
}

/* Where the slot for another node's objects is, in a CPU's part of a cache. */
static inline uint32_t cross_offset(unsigned nid)
{
	return (uint32_t)offsetof(struct kmem_cache_cpu, cc_cross) +
	       nid % CROSS_SLOTS * (uint32_t)sizeof(struct port_slot);
}

/* An object of that node from what this CPU has at hand, NULL: none. */
static inline __attribute__((always_inline)) void *sheaf_pop_node(uint32_t cpu_offset, unsigned nid)
{
	if (unlikely(nid >= DOLMEN_MAX_NODES))
		return NULL;
	void *object = port_slot_pop_home(cpu_offset, slab_home(nid));
	if (!object)
		object = port_slot_pop_home(cpu_offset + cross_offset(nid), slab_home(nid));
	if (object)
		sheaf_count(cpu_offset, ALLOC_FASTPATH);
	return object;
}

/* For a port that watches: an object of a slab, if it is one, is nobody's from here on. */
static inline void note_object_freed(const void *object, uint64_t word)
{
	if (!PORT_WATCHES_OBJECTS || page_kind(word) != PAGE_SLAB)
		return;
	struct page *page = object_page(object, &word);
	struct kmem_cache *cache = port_load(&page->pg_cache);

	if (slab_index(cache, slab_mask(page), slab_pair(page).hi, object) >= 0)
		port_object_freed(object, cache->kc_object_bytes);
}

/*
 * True if the object, of a page with this first word, is in a sheaf of this CPU now: then the page
 * is a slab's, and the sheaf of its node.
 */
static inline __attribute__((always_inline)) bool sheaf_push(const void *object, uint64_t word)
{
	uint32_t cpu_offset = (uint32_t)(word >> PAGE_PERCPU_SHIFT);

	note_object_freed(object, word);
	if (unlikely(!port_slot_push(cpu_offset, (void *)object, (uint16_t)word)) &&
		(page_kind(word) != PAGE_SLAB ||
			!port_slot_push(cpu_offset + cross_offset(page_node(word)), (void *)object,
				(uint16_t)word)))
		return false;
	sheaf_count(cpu_offset, FREE_FASTPATH);
	return true;
}

/* ---- cache.c ---- */

/* The caches that make caches. False: out of memory. */
bool cache_init(void);

/*
 * The n-th cache from 0, pinned around `visit`, which must not destroy it; false past the last. The
 * numbers change when caches come and go.
 */
bool cache_visit(unsigned n, void (*visit)(struct kmem_cache *cache, void *arg), void *arg);

/*
 * The tunable limits of a cache. A value out of range is clamped; the value then in force is
 * returned.
 */
enum cache_knob {
	KNOB_CPU_SLABS,
	KNOB_MIN_PARTIAL,
	KNOB_MAX_PARTIAL,
	KNOB_REMOTE_RATIO,
	KNOB_SHEAF, /* 0: no sheaves, so every wrong free is found at once */
	KNOB_BARN,
	NR_CACHE_KNOBS
};
/* Interrupts on, or other CPUs keep what they hold by the old value. */
unsigned cache_set_knob(struct kmem_cache *cache, enum cache_knob knob, unsigned value);
unsigned cache_knob(struct kmem_cache *cache, enum cache_knob knob);

/* What kmem_cache_free() does of what is not to go into this CPU's main sheaf; of whoever calls. */
void cache_free_slow(struct kmem_cache *cache, void *object, const void *caller);

/* ---- kmalloc.c ---- */

/* The same of kfree(). */
void kfree_slow(const void *object, const void *caller);

/* The caches of all size classes. False: out of memory. */
bool kmalloc_init(void);

#endif
