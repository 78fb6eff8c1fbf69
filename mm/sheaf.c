/*
 * Sheaves: arrays of free objects in front of a CPU's slabs, so that most calls touch no slab.
 *
 * Each CPU has three for each cache that it uses. Main is for objects of the CPU's memory node:
 * allocations pop from it, frees push to it, each in a window (port.h): no lock, no atomic
 * instruction, interrupts on. Spare is the next main. Cross is for objects of one other node at a
 * time, its home, and there are four, taken by the node's number: kmalloc_node() pops from it,
 * frees push to it. All else is here:
 *
 *	main is empty	the spare, if it has objects, becomes main; else an empty sheaf is traded
 *			for a full one of the node's barn; else slabs fill it, one exchange a slab
 *	main is full	the spare, if it has room, becomes main; else the full one is traded for an
 *			empty one of the barn; else objects of the spare, which have lain longer,
 *			go to their slabs, and it becomes main
 *	cross is full	it goes home: traded for an empty one of its home's barn, else its objects
 *			to their slabs. An empty cross takes any home; one that is not empty, and of
 *			another home than is wanted, is left alone, and the call goes to a slab
 *	closed		all are the one static sheaf that holds none and takes none. So it is before
 *			the first use, when idle, and always in an exact cache
 *
 * The objects in a sheaf are in use as far as their slab knows. What a free cannot be told at once
 * is found when the object reaches its slab: then each address is checked against the stride and
 * each bit against the free set, before anything changes.
 *
 * So an allocation from main is always near, and __GFP_THISNODE asks for no more; and objects go
 * home in batches.
 *
 * Which sheaf a slot points to changes under the slow lock only. To empty another CPU's, the slots
 * are closed under its lock; after a fence no window there can still use the old ones.
 *
 * Contexts: any but NMI; draining another CPU wants interrupts on. Locks: slow lock; everything
 * that allocates, or frees to slabs, happens outside it.
 */
#include "mm/slab.h"
#include <dolmen/numa.h>
#include "mm/page_alloc.h"

struct kmem_cache *sheaf_caches[SHEAF_CACHES];

/* ---- sheaves themselves ---- */

/* What a new sheaf has room for; 0: the cache has no sheaves. */
static uint32_t capacity(struct kmem_cache *cache)
{
	uint32_t max = port_load(&cache->kc_sheaf_max), size = port_load(&cache->kc_sheaf_size);

	return size < max ? size : max;
}

/* NULL: memory is short, or the cache has none. So none is ever without room for an object. */
static struct port_stack *make_sheaf(struct kmem_cache *cache)
{
	uint32_t max = capacity(cache);
	struct kmem_cache *source = sheaf_caches[sheaf_cache_of(max)];
	struct port_stack *sheaf =
		max && source ? slab_alloc(source, __GFP_NORETRY | __GFP_NOWARN) : NULL;

	if (sheaf) {
		port_store(&sheaf->ps_count, 0u);
		port_store(&sheaf->ps_max, max);
	}
	return sheaf;
}

static void end_sheaf(struct port_stack *sheaf)
{
	uint64_t word;

	if (sheaf && sheaf != &closed_stack)
		slab_free(object_page(sheaf, &word), sheaf, NULL, NULL);
}

/* The last object of a sheaf that has one; the caller owns the sheaf, or holds off its CPU. */
static void *take_last(struct port_stack *sheaf)
{
	uint32_t count = port_load(&sheaf->ps_count) - 1;

	port_store(&sheaf->ps_count, count);
	return port_load(&sheaf->ps_item[count]);
}

/* Up to `max` of its last objects. How many. */
static unsigned pop_run(struct port_stack *sheaf, void **objects, unsigned max)
{
	uint32_t count = port_load(&sheaf->ps_count);
	uint32_t nr = count < max ? count : max;
	void **item = &sheaf->ps_item[count - nr];

#pragma GCC unroll 8
	for (size_t i = 0; i < nr; i++)
		objects[i] = port_load(&item[i]);
	if (nr) /* it may be the closed one */
		port_store(&sheaf->ps_count, count - nr);
	return nr;
}

static bool has_room(struct port_stack *sheaf)
{
	return port_load(&sheaf->ps_count) < port_load(&sheaf->ps_max);
}

/* The barn of a node that this CPU trades in first; NULL: the cache has no part there. */
static struct barn *barn_of(struct kmem_cache *cache, unsigned nid)
{
	struct kmem_cache_node *node = cache->kc_node[nid];

	return node ? barn_near(node, cache_this_cpu(cache)) : NULL;
}

/* The slot that objects of a node come into. */
static struct port_slot *slot_of(struct kmem_cache_cpu *c, unsigned nid)
{
	return nid == c->cc_nid ? &c->cc_main : &c->cc_cross[nid % CROSS_SLOTS];
}

/* ---- trading full sheaves; all barns of a node together hold at most 1/64 of it ---- */

static uint64_t barn_bytes[DOLMEN_MAX_NODES]; /* of objects in all barns; atomic */

static uint64_t sheaf_bytes(struct kmem_cache *cache, struct port_stack *sheaf)
{
	return (uint64_t)port_load(&sheaf->ps_count) * cache->kc_stride;
}

/* Gives *sheaf, which is full, for an empty one. */
static bool give_full(struct kmem_cache *cache, unsigned nid, struct port_stack **sheaf)
{
	struct barn *barn = barn_of(cache, nid);

	if (!barn || !port_load(&barn->bn_empty))
		return false;

	uint64_t bytes = sheaf_bytes(cache, *sheaf);
	uint64_t most = page_alloc_managed(nid) * PAGE_SIZE / 64;

	if (port_load(&barn_bytes[nid]) + bytes > most ||
		!barn_trade(barn, &barn->bn_empty, &barn->bn_full, sheaf))
		return false;
	port_fetch_add(&barn_bytes[nid], bytes);
	return true;
}

/*
 * Takes a sheaf with objects, of the slots `among`, for *sheaf, which is empty, or NULL and leaves
 * the slot vacant.
 */
static bool take_full(struct kmem_cache *cache, unsigned nid, struct barn *barn, uint64_t among,
	struct port_stack **sheaf)
{
	if (!barn_trade_among(barn, among, &barn->bn_full,
		    *sheaf ? &barn->bn_empty : &barn->bn_vacant, sheaf))
		return false;
	port_fetch_add(&barn_bytes[nid], -sheaf_bytes(cache, *sheaf));
	return true;
}

/* The same from any barn of a node, the CPU's own first. */
static bool take_any_full(struct kmem_cache *cache, unsigned nid, struct port_stack **sheaf)
{
	struct kmem_cache_node *node = cache->kc_node[nid];
	struct barn *first = barn_of(cache, nid), *barn = first;

	while (barn && !take_full(cache, nid, barn, ~0ul, sheaf)) {
		if (++barn == &node->kn_barn[port_load(&node->kn_nr_barns)])
			barn = &node->kn_barn[0];
		if (barn == first)
			return false;
	}
	return barn;
}

static void swap_sheaves(struct kmem_cache_cpu *c)
{
	struct port_stack *main = port_load(&c->cc_main.sl_stack);

	port_store(&c->cc_main.sl_stack, port_load(&c->cc_spare));
	port_store(&c->cc_spare, main);
}

/* ---- the capacity adapts ---- */

/*
 * As many misses make sheaves twice as large: exchanges with slabs, because the barn had nothing or
 * no room, and trades lost to another CPU.
 */
#ifndef SHEAF_MISSES
#define SHEAF_MISSES 16
#endif

static void note_miss(struct kmem_cache *cache, unsigned nid)
{
	uint32_t size = port_load(&cache->kc_sheaf_size), max = port_load(&cache->kc_sheaf_max);
	struct barn *barn = size < max ? barn_of(cache, nid) : NULL;

	if (!barn)
		return;
	uint32_t misses = port_load(&barn->bn_misses) + 1;
	if (misses >= SHEAF_MISSES)
		port_store(&cache->kc_sheaf_size, 2 * size < max ? 2 * size : max);
	port_store(&barn->bn_misses, misses % SHEAF_MISSES);
}

void sheaf_set_size(struct kmem_cache *cache, uint32_t size)
{
	uint32_t max = port_load(&cache->kc_sheaf_max),
		 least = max < SHEAF_START ? max : SHEAF_START;

	port_store(&cache->kc_sheaf_size, size > least ? size : least);
}

/* Closed, or empty and from before sheaves grew. */
static bool outgrown(struct port_stack *sheaf, uint32_t max)
{
	return !port_load(&sheaf->ps_count) && port_load(&sheaf->ps_max) < max;
}

/* Slow lock held. */
static void replace_outgrown(struct port_stack **slot, struct port_stack **sheaf, uint32_t max)
{
	struct port_stack *old = port_load(slot);

	if (!outgrown(old, max))
		return;
	port_store(slot, *sheaf);
	*sheaf = old;
}

/*
 * Gives this CPU what it lacks to take objects of a node: main and spare, or cross. Unless memory
 * is short, or the cache has no sheaves.
 */
static __attribute__((noinline)) void make_sheaves(struct kmem_cache *cache, unsigned nid)
{
	struct kmem_cache_cpu *c = cache_this_cpu(cache);
	bool near = nid == c->cc_nid;
	struct port_stack *first = make_sheaf(cache), *second = near ? make_sheaf(cache) : NULL;
	unsigned long flags = port_irq_save();
	c = cache_this_cpu(cache);
	spin_lock(&c->cc_lock);
	uint32_t max = capacity(cache);
	if (first && (second || !near)) {
		/* Of the CPU that this is by now; a cross too many is no harm. */
		struct port_slot *slot = near ? &c->cc_main : &c->cc_cross[nid % CROSS_SLOTS];

		replace_outgrown(&slot->sl_stack, &first, max);
		if (near)
			replace_outgrown(&c->cc_spare, &second, max);
	}
	spin_unlock(&c->cc_lock);
	port_irq_restore(flags);
	end_sheaf(first);
	end_sheaf(second);
}

static void open_sheaves(struct kmem_cache *cache, unsigned nid)
{
	struct kmem_cache_cpu *c = cache_this_cpu(cache);
	uint32_t max = capacity(cache);

	if (outgrown(port_load(&slot_of(c, nid)->sl_stack), max) ||
		(nid == c->cc_nid && outgrown(port_load(&c->cc_spare), max)))
		make_sheaves(cache, nid);
}

/* ---- back to the slabs ---- */

/* An object that is none, or in a slab of another order than usual. Pages given back. */
static size_t free_alone(struct kmem_cache *cache, void *object, const void *caller)
{
	uint64_t word;
	struct page *page = object_page(object, &word);

	if (page_kind(word) != PAGE_SLAB || port_load(&page->pg_cache) != cache) {
		slab_reports.wrong_free(FREE_FOREIGN, NULL, NULL, object, caller);
		return 0;
	}
	long index = slab_index(cache, slab_mask(page), slab_pair(page).hi, object);
	if (index < 0) {
		slab_reports.wrong_free(FREE_INTERIOR, cache, NULL, object, caller);
		return 0;
	}
	return partial_free_slow(cache, page, (unsigned)index, caller);
}

/* The slab at this address, if it is of the cache and of the usual order. */
static struct page *usual_slab(struct kmem_cache *cache, uintptr_t base)
{
	struct page *page = addr_to_page((void *)base);
	uint64_t word = page ? port_load_acquire(&page->pg_word) : PAGE_RESERVED;
	uint64_t usual = (uint64_t)cache->kc_cpu_offset << PAGE_PERCPU_SHIFT | PAGE_SLAB;

	return (word & ~PAGE_HOME_MASK) == usual ? page : NULL;
}

/* Index of the object at this offset in a usual slab; false: none starts there. */
static bool usual_index(struct kmem_cache *cache, size_t offset, size_t *index)
{
	*index = (offset * cache->kc_reciprocal) >> 32;
	return likely(*index * cache->kc_stride == offset && *index < cache->kc_best.objects);
}

/* The run that an object begins; NULL: it is to be freed alone. */
static struct page *begin_run(struct kmem_cache *cache, uintptr_t object, struct slab_run *run)
{
	size_t offset = object & cache->kc_offset_mask, index;

	if (!usual_index(cache, offset, &index))
		return NULL;
	run->page = usual_slab(cache, object - offset);
	run->window = (unsigned)(index / WINDOW_OBJECTS);
	run->nr = 1;
	run->objects = 1ul << (index % WINDOW_OBJECTS);
	return run->page;
}

/* `base`: address of the run's slab. False: the object is of another run, or wrong. */
static bool extend_run(
	struct kmem_cache *cache, uintptr_t base, uintptr_t object, struct slab_run *run)
{
	size_t index;

	if (object - base > cache->kc_offset_mask || !usual_index(cache, object - base, &index) ||
		index / WINDOW_OBJECTS != run->window)
		return false;
	uint64_t bit = 1ul << (index % WINDOW_OBJECTS);
	if (unlikely(run->objects & bit)) /* twice: that is told when the second is freed */
		return false;
	run->objects |= bit;
	run->nr++;
	return true;
}

/* By value, so that sheaf_flush() can have its run in registers. */
static __attribute__((noinline)) size_t free_slowly(
	struct kmem_cache *cache, struct slab_run run, const void *caller)
{
	return partial_free_run(cache, &run, false, caller);
}

/*
 * Those of one slab and window that follow each other in one exchange. Sorting them first costs
 * more than it saves: what comes in the order of its slabs is sorted already, and what comes in
 * disorder is mostly of as many slabs as it is objects.
 */
size_t sheaf_flush(struct kmem_cache *cache, void **objects, size_t nr, const void *caller)
{
	size_t pages = 0;

	while (nr) {
		struct slab_run run;
		void *object = port_load(&objects[--nr]);

		if (unlikely(!begin_run(cache, (uintptr_t)object, &run))) {
			pages += free_alone(cache, object, caller);
			continue;
		}
		uintptr_t base = (uintptr_t)object & ~(uintptr_t)cache->kc_offset_mask;
		while (nr && extend_run(cache, base, (uintptr_t)port_load(&objects[nr - 1]), &run))
			nr--;
		if (unlikely(!slab_free_run(cache, &run)))
			pages += free_slowly(cache, run, caller);
	}
	return pages;
}

/* The same of a sheaf, which ends. */
static size_t flush_sheaf(struct kmem_cache *cache, struct port_stack *sheaf)
{
	size_t pages = sheaf_flush(cache, &sheaf->ps_item[0], port_load(&sheaf->ps_count), NULL);

	end_sheaf(sheaf);
	return pages;
}

/* Takes the sheaf out of a slot. Slow lock held. */
static struct port_stack *close_sheaf(struct port_stack **slot)
{
	struct port_stack *sheaf = port_load(slot);

	port_store(slot, &closed_stack);
	return sheaf;
}

size_t sheaf_drain_cpu(struct kmem_cache *cache, unsigned cpu)
{
	struct kmem_cache_cpu *c = cache_cpu(cache, cpu);
	struct port_stack *sheaves[2 + CROSS_SLOTS];
	bool any = false;
	size_t pages = 0;

	if (cpu != port_cpu() && !port_irq_enabled())
		return 0;
	unsigned long flags = spin_lock_irqsave(&c->cc_lock);
	sheaves[0] = close_sheaf(&c->cc_main.sl_stack);
	sheaves[1] = close_sheaf(&c->cc_spare);
	for (unsigned i = 0; i < CROSS_SLOTS; i++)
		sheaves[2 + i] = close_sheaf(&c->cc_cross[i].sl_stack);
	spin_unlock_irqrestore(&c->cc_lock, flags);
	for (unsigned i = 0; i < 2 + CROSS_SLOTS; i++)
		any |= sheaves[i] != &closed_stack;
	if (!any)
		return 0;
	port_window_fence(cpu);
	for (unsigned i = 0; i < 2 + CROSS_SLOTS; i++)
		pages += flush_sheaf(cache, sheaves[i]);
	return pages;
}

size_t sheaf_drain_barn(
	struct kmem_cache *cache, unsigned nid, struct barn *barn, uint64_t among, unsigned most)
{
	struct port_stack *sheaf = NULL;
	size_t pages = 0;

	for (; most && take_full(cache, nid, barn, among, &sheaf); sheaf = NULL, most--)
		pages += flush_sheaf(cache, sheaf);
	for (; barn_trade(barn, &barn->bn_empty, &barn->bn_vacant, &sheaf); sheaf = NULL)
		end_sheaf(sheaf);
	return pages;
}

size_t sheaf_drain_all(struct kmem_cache *cache)
{
	size_t pages = 0;

	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++)
		pages += sheaf_drain_cpu(cache, cpu);
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		struct kmem_cache_node *node = cache->kc_node[nid];

		for (unsigned i = 0; node && i < port_load(&node->kn_nr_barns); i++)
			pages += sheaf_drain_barn(cache, nid, &node->kn_barn[i], ~0ul, BARN_SLOTS);
	}
	return pages;
}

uint64_t sheaf_objects(struct kmem_cache *cache)
{
	uint64_t objects = 0;

	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++) {
		struct kmem_cache_cpu *c = cache_cpu(cache, cpu);
		unsigned long flags = spin_lock_irqsave(&c->cc_lock);

		objects += port_load(&port_load(&c->cc_main.sl_stack)->ps_count);
		objects += port_load(&port_load(&c->cc_spare)->ps_count);
		for (unsigned i = 0; i < CROSS_SLOTS; i++)
			objects += port_load(&port_load(&c->cc_cross[i].sl_stack)->ps_count);
		spin_unlock_irqrestore(&c->cc_lock, flags);
	}
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		struct kmem_cache_node *node = cache->kc_node[nid];

		for (unsigned i = 0; node && i < port_load(&node->kn_nr_barns); i++)
			objects += barn_objects(&node->kn_barn[i]);
	}
	return objects;
}

/* ---- allocation ---- */

/*
 * From slabs to the CPU's empty main sheaf, and to the spare what the main has no room for. Slow
 * lock held.
 */
static void fill(struct kmem_cache *cache, struct kmem_cache_cpu *c)
{
	struct port_stack *main = port_load(&c->cc_main.sl_stack), *spare = port_load(&c->cc_spare);
	uint32_t max = port_load(&main->ps_max);
	unsigned nr = partial_take_run(cache, c, &main->ps_item[0], max);

	port_store(&main->ps_count, nr);
	note_miss(cache, c->cc_nid);
	if (nr == max && !port_load(&spare->ps_count))
		port_store(&spare->ps_count,
			partial_take_run(cache, c, &spare->ps_item[0], port_load(&spare->ps_max)));
}

/* An object of this CPU's memory node; NULL: none without new memory. Slow lock held. */
static void *refill(struct kmem_cache *cache, struct kmem_cache_cpu *c)
{
	struct port_stack *main = port_load(&c->cc_main.sl_stack);

	if (main == &closed_stack)
		return NULL;
	if (port_load(&main->ps_count)) /* an interrupt filled it, or freed to it */
		return take_last(main);
	if (port_load(&port_load(&c->cc_spare)->ps_count)) {
		swap_sheaves(c);
		return take_last(port_load(&c->cc_main.sl_stack));
	}
	if (take_any_full(cache, c->cc_nid, &main))
		port_store(&c->cc_main.sl_stack, main);
	else
		fill(cache, c);
	return port_load(&main->ps_count) ? take_last(main) : NULL;
}

/* This CPU has a new slab, perhaps: what is left of it to its sheaves. */
static void top_up(struct kmem_cache *cache)
{
	unsigned long flags = port_irq_save();
	struct kmem_cache_cpu *c = cache_this_cpu(cache);

	spin_lock(&c->cc_lock);
	struct port_stack *main = port_load(&c->cc_main.sl_stack);

	if (main != &closed_stack && !port_load(&main->ps_count))
		fill(cache, c);
	partial_unlock(cache, c);
	port_irq_restore(flags);
}

/* The same of another node. */
static void *refill_cross(struct kmem_cache *cache, struct kmem_cache_cpu *c, unsigned nid)
{
	struct port_slot *slot = slot_of(c, nid);
	struct port_stack *cross = port_load(&slot->sl_stack);

	if (cross == &closed_stack || !cache->kc_node[nid])
		return NULL;
	if (port_load(&cross->ps_count))
		return port_load(&slot->sl_home) == slab_home(nid) ? take_last(cross) : NULL;
	port_store(&slot->sl_home, slab_home(nid));
	if (take_any_full(cache, nid, &cross)) {
		port_store(&slot->sl_stack, cross);
	} else {
		unsigned nr = partial_take_list(
			cache, cache->kc_node[nid], &cross->ps_item[0], port_load(&cross->ps_max));

		port_store(&cross->ps_count, nr);
		note_miss(cache, nid);
		port_count(&c->cc_stat[ALLOC_SLOWPATH], nr);
	}
	return port_load(&cross->ps_count) ? take_last(cross) : NULL;
}

void *sheaf_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	if (!port_load(&cache->kc_sheaf_max))
		return slab_alloc(cache, gfp);
	open_sheaves(cache, cache_this_cpu(cache)->cc_nid);

	unsigned long flags = port_irq_save();
	struct kmem_cache_cpu *c = cache_this_cpu(cache);

	spin_lock(&c->cc_lock);
	void *object = refill(cache, c);
	if (!object) {
		object = partial_alloc_slow(cache, gfp, flags);
		if (object)
			top_up(cache);
		if (object || gfp & __GFP_NORETRY)
			return object;
		sheaf_drain_all(cache);
		return slab_alloc(cache, gfp);
	}
	partial_unlock(cache, c);
	port_irq_restore(flags);
	port_object_taken(object, cache->kc_object_bytes);
	return slab_zeroed(cache, object, gfp);
}

void *sheaf_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	if (!port_load(&cache->kc_sheaf_max) || nid < 0 || (unsigned)nid >= numa_nr_nodes())
		return partial_alloc_node(cache, gfp, nid);
	open_sheaves(cache, (unsigned)nid);

	unsigned long flags = port_irq_save();
	struct kmem_cache_cpu *c = cache_this_cpu(cache);

	spin_lock(&c->cc_lock);
	void *object = (unsigned)nid == c->cc_nid ? refill(cache, c)
						  : refill_cross(cache, c, (unsigned)nid);
	partial_unlock(cache, c);
	port_irq_restore(flags);
	if (!object) {
		object = partial_alloc_node(cache, gfp, nid);
		if (object || gfp & __GFP_NORETRY)
			return object;
		sheaf_drain_all(cache);
		return partial_alloc_node(cache, gfp, nid);
	}
	port_object_taken(object, cache->kc_object_bytes);
	return slab_zeroed(cache, object, gfp);
}

/*
 * Of `max` objects those behind the `nr` that main had, from the other places in turn; how many are
 * there then. Sheaves are too small for who wants more than one holds. Slow lock held; it is not on
 * return, and interrupts are as `flags` says.
 */
static __attribute__((noinline)) unsigned take_rest(struct kmem_cache *cache,
	struct kmem_cache_cpu *c, void **objects, unsigned nr, unsigned max, unsigned long flags)
{
	struct port_stack *main = port_load(&c->cc_main.sl_stack);
	bool missed = max > port_load(&main->ps_max);

	nr += pop_run(port_load(&c->cc_spare), objects + nr, max - nr);
	while (nr < max && main != &closed_stack && take_any_full(cache, c->cc_nid, &main)) {
		port_store(&c->cc_main.sl_stack, main);
		nr += pop_run(main, objects + nr, max - nr);
	}
	if (nr < max) {
		nr += partial_take_run(cache, c, objects + nr, max - nr);
		missed = true;
	}
	if (missed)
		note_miss(cache, c->cc_nid);
	partial_unlock(cache, c);
	port_irq_restore(flags);
	open_sheaves(cache, cache_this_cpu(cache)->cc_nid); /* they are empty, perhaps too small */
	return nr;
}

unsigned sheaf_take(struct kmem_cache *cache, void **objects, unsigned max)
{
	unsigned long flags = port_irq_save();
	struct kmem_cache_cpu *c = cache_this_cpu(cache);

	spin_lock(&c->cc_lock);
	unsigned nr = pop_run(port_load(&c->cc_main.sl_stack), objects, max);
	if (unlikely(nr < max))
		return take_rest(cache, c, objects, nr, max, flags);
	spin_unlock(&c->cc_lock);
	port_irq_restore(flags);
	return nr;
}

/* ---- free ---- */

/* A barn that has vacant slots gets an empty sheaf, for the next full one to be traded for. */
static void stock_barn(struct kmem_cache *cache, struct barn *barn)
{
	if (!barn || port_load(&barn->bn_empty) || !port_load(&barn->bn_vacant))
		return;
	struct port_stack *sheaf = make_sheaf(cache);

	if (sheaf && !barn_trade(barn, &barn->bn_vacant, &barn->bn_empty, &sheaf))
		end_sheaf(sheaf);
}

/* Whether the slot takes objects of the node; an empty cross is made to. Slow lock held. */
static bool takes(struct kmem_cache_cpu *c, struct port_slot *slot, unsigned nid)
{
	struct port_stack *sheaf = port_load(&slot->sl_stack);

	if (sheaf == &closed_stack)
		return false;
	if (slot != &c->cc_main && !port_load(&sheaf->ps_count))
		port_store(&slot->sl_home, slab_home(nid));
	return port_load(&slot->sl_home) == slab_home(nid);
}

#ifndef SHEAF_OUT_MAX
#define SHEAF_OUT_MAX 32u /* objects that leave a sheaf at a time */
#endif

/*
 * Makes room in a slot that needs it. If there is no other way some objects move to `out`; how many
 * did. They are the spare's, which have lain longer than main's. Slow lock held.
 */
static unsigned make_room(struct kmem_cache *cache, struct kmem_cache_cpu *c,
	struct port_slot *slot, unsigned nid, void **out)
{
	struct port_stack *sheaf = port_load(&slot->sl_stack);
	bool near = slot == &c->cc_main;

	if (has_room(sheaf))
		return 0;
	if (near && has_room(port_load(&c->cc_spare))) {
		swap_sheaves(c);
		return 0;
	}
	if (give_full(cache, nid, &sheaf)) {
		port_store(&slot->sl_stack, sheaf);
		return 0;
	}
	note_miss(cache, nid);
	if (near)
		swap_sheaves(c);
	return pop_run(port_load(&slot->sl_stack), out, SHEAF_OUT_MAX);
}

/*
 * The first objects of an array into a slot, as far as they are of the cache and the slot's home
 * and there is room. How many. What is in the same page as the one before is as good as that.
 */
static unsigned push_run(
	struct kmem_cache *cache, struct port_slot *slot, void **objects, unsigned nr)
{
	struct port_stack *sheaf = port_load(&slot->sl_stack);
	uint32_t count = port_load(&sheaf->ps_count), room = port_load(&sheaf->ps_max) - count;
	uint64_t label =
		(uint64_t)cache->kc_cpu_offset << PAGE_PERCPU_SHIFT | port_load(&slot->sl_home);
	void **item = &sheaf->ps_item[count];
	uint32_t most = nr < room ? nr : room, i;
	uintptr_t known = ~0ul; /* the number of no page */

	for (i = 0; i < most; i++) {
		void *object = objects[i];
		uintptr_t page = (uintptr_t)object >> PAGE_SHIFT;

		if (page != known) {
			if (object_label(object) != label)
				break;
			known = page;
		}
		note_object_freed(object, label);
		port_store(&item[i], object);
	}
	if (i) /* it may be the closed one */
		port_store(&sheaf->ps_count, count + i);
	return i;
}

unsigned sheaf_push_run(struct kmem_cache *cache, void **objects, unsigned nr)
{
	unsigned long flags = port_irq_save();
	struct kmem_cache_cpu *c = cache_this_cpu(cache);
	unsigned nr_pushed = 0;

	spin_lock(&c->cc_lock);
	for (unsigned run = 1; run && nr_pushed < nr; nr_pushed += run) {
		unsigned nid = page_node(object_label(objects[nr_pushed]));

		run = push_run(cache, slot_of(c, nid), objects + nr_pushed, nr - nr_pushed);
	}
	spin_unlock(&c->cc_lock);
	port_irq_restore(flags);
	return nr_pushed;
}

bool sheaf_put(struct kmem_cache *cache, void *object, unsigned nid)
{
	void *out[SHEAF_OUT_MAX];
	unsigned nr = 0;

	open_sheaves(cache, nid);
	stock_barn(cache, barn_of(cache, nid));
	unsigned long flags = port_irq_save();
	struct kmem_cache_cpu *c = cache_this_cpu(cache);
	struct port_slot *slot = slot_of(c, nid);

	spin_lock(&c->cc_lock);
	bool taken = takes(c, slot, nid);
	if (taken) {
		nr = make_room(cache, c, slot, nid, out);
		struct port_stack *sheaf = port_load(&slot->sl_stack);
		uint32_t count = port_load(&sheaf->ps_count);

		port_store(&sheaf->ps_item[count], object);
		port_store(&sheaf->ps_count, count + 1);
	}
	spin_unlock(&c->cc_lock);
	port_irq_restore(flags);
	sheaf_flush(cache, out, nr, NULL);
	return taken;
}

void sheaf_free(struct page *page, void *object, struct kmem_cache *given, const void *caller)
{
	struct kmem_cache *cache = port_load_acquire(&page->pg_cache);
	uint64_t word = port_load(&page->pg_word);

	if (port_load(&cache->kc_sheaf_max) && (!given || given == cache)) {
		note_object_freed(object, word);
		if (sheaf_put(cache, object, page_node(word)))
			return;
	}
	slab_free(page, object, given, caller);
}
