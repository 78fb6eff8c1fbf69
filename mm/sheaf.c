/*
 * Sheaves: arrays of free objects in front of a CPU's slabs, so that most calls touch no slab.
 *
 * Each CPU has two for each cache that it uses, main and spare. An allocation pops from main, a
 * free of an object of the CPU's memory node pushes to it, each in a window (port.h): no lock, no
 * atomic instruction, interrupts on. All else is here:
 *
 *	main is empty	the spare, if it has objects, becomes main; else an empty sheaf is traded
 *			for a full one of the node's barn; else slabs fill it, one exchange a slab
 *	main is full	the spare, if it has room, becomes main; else the full one is traded for an
 *			empty one of the barn; else its objects go to their slabs, one exchange a
 *			slab
 *	closed		main and spare are the one static sheaf that holds none and takes none. So
 *			it is before the first use, when idle, and always in an exact cache
 *
 * The objects in a sheaf are in use as far as their slab knows. What a free cannot be told at once
 * is found when the object reaches its slab: then each address is checked against the stride and
 * each bit against the free set, before anything changes.
 *
 * Only objects of the CPU's own memory node come into a sheaf: an allocation from it is always
 * near, and __GFP_THISNODE asks for no more. A free of another node's object goes to its slab.
 *
 * Which sheaf a slot points to changes under the slow lock only. To empty another CPU's, the slots
 * are closed under its lock; after a fence no window there can still use the old ones.
 *
 * Contexts: any but NMI; draining another CPU wants interrupts on. Locks: slow lock; everything
 * that allocates, or frees to slabs, happens outside it.
 */
#include "mm/slab.h"
#include <dolmen/numa.h>

struct kmem_cache *sheaf_cache;

/* ---- sheaves themselves ---- */

/* NULL: memory is short, or the cache has none. So none is ever without room for an object. */
static struct port_stack *make_sheaf(struct kmem_cache *cache)
{
	uint32_t max = port_load(&cache->kc_sheaf_max);
	struct port_stack *sheaf =
		max && sheaf_cache ? slab_alloc(sheaf_cache, GFP_ATOMIC | __GFP_NOWARN) : NULL;

	if (sheaf) {
		port_store(&sheaf->ps_count, 0u);
		port_store(&sheaf->ps_max, max);
	}
	return sheaf;
}

static void end_sheaf(struct port_stack *sheaf)
{
	uint64_t word;

	if (sheaf && sheaf != &closed_sheaf)
		slab_free(object_page(sheaf, &word), false, sheaf, sheaf_cache, NULL);
}

/* The last object of a sheaf that has one; the caller owns the sheaf, or holds off its CPU. */
static void *take_last(struct port_stack *sheaf)
{
	uint32_t count = port_load(&sheaf->ps_count) - 1;

	port_store(&sheaf->ps_count, count);
	return port_load(&sheaf->ps_item[count]);
}

static bool has_room(struct port_stack *sheaf)
{
	return port_load(&sheaf->ps_count) < port_load(&sheaf->ps_max);
}

static bool is_closed(struct kmem_cache_cpu *c)
{
	return port_load(&c->cc_main) == &closed_sheaf;
}

static struct barn *barn_of(struct kmem_cache *cache, struct kmem_cache_cpu *c)
{
	struct kmem_cache_node *node = cache->kc_node[c->cc_nid];

	return node ? &node->kn_barn : NULL;
}

static void swap_sheaves(struct kmem_cache_cpu *c)
{
	struct port_stack *main = port_load(&c->cc_main);

	port_store(&c->cc_main, port_load(&c->cc_spare));
	port_store(&c->cc_spare, main);
}

/* Gives this CPU its two sheaves, unless memory is short or the cache has none. */
static void open_sheaves(struct kmem_cache *cache)
{
	struct port_stack *main = make_sheaf(cache), *spare = main ? make_sheaf(cache) : NULL;

	if (spare) {
		unsigned long flags = port_irq_save();
		struct kmem_cache_cpu *c = cache_this_cpu(cache);

		spin_lock(&c->cc_lock);
		if (is_closed(c) && port_load(&cache->kc_sheaf_max)) {
			port_store(&c->cc_spare, spare);
			port_store(&c->cc_main, main);
			main = spare = NULL;
		}
		spin_unlock(&c->cc_lock);
		port_irq_restore(flags);
	}
	end_sheaf(main);
	end_sheaf(spare);
}

/* ---- back to the slabs ---- */

/* Where an object lies, if it is one of the cache; else it is reported. */
static bool find_slab(struct kmem_cache *cache, void *object, struct slab_run *run)
{
	uint64_t word;
	struct page *page = object_page(object, &word);

	if (unlikely(page_kind(word) != PAGE_SLAB || port_load(&page->pg_cache) != cache)) {
		slab_reports.wrong_free(FREE_FOREIGN, NULL, NULL, object, NULL);
		return false;
	}
	long index = slab_index(cache, slab_mask(page), slab_pair(page).hi, object);
	if (unlikely(index < 0)) {
		slab_reports.wrong_free(FREE_INTERIOR, cache, NULL, object, NULL);
		return false;
	}
	*run = (struct slab_run){.page = page, .window = (unsigned)index / WINDOW_OBJECTS};
	return true;
}

/*
 * Moves the objects of the first one's slab and window out of the array into a run; how many are
 * left. What is no object, or here twice, is reported and dropped.
 */
static unsigned gather_run(
	struct kmem_cache *cache, void **objects, unsigned nr, struct slab_run *run)
{
	size_t mask = slab_mask(run->page);
	uint64_t counters = slab_pair(run->page).hi;
	uintptr_t base = (uintptr_t)page_to_virt(run->page);
	unsigned left = 0;

	for (unsigned i = 0; i < nr; i++) {
		void *object = port_load(&objects[i]);
		long index = ((uintptr_t)object & ~mask) == base
				     ? slab_index(cache, mask, counters, object)
				     : -1;

		if (index < 0 || (unsigned)index / WINDOW_OBJECTS != run->window) {
			port_store(&objects[left++], object);
			continue;
		}
		uint64_t bit = 1ul << (index % WINDOW_OBJECTS);
		if (unlikely(run->objects & bit)) {
			slab_reports.wrong_free(FREE_TWICE, cache, NULL, object, NULL);
			continue;
		}
		run->objects |= bit;
		run->nr++;
	}
	return left;
}

/* Frees the objects of an array that is the caller's, and is used up. */
static void flush(struct kmem_cache *cache, void **objects, unsigned nr)
{
	struct slab_run run;

	while (nr) {
		if (!find_slab(cache, port_load(&objects[0]), &run)) {
			port_store(&objects[0], port_load(&objects[--nr]));
			continue;
		}
		nr = gather_run(cache, objects, nr, &run);
		partial_free_run(cache, &run, NULL);
	}
}

/* The same of a sheaf, which ends. */
static void flush_sheaf(struct kmem_cache *cache, struct port_stack *sheaf)
{
	flush(cache, &sheaf->ps_item[0], port_load(&sheaf->ps_count));
	end_sheaf(sheaf);
}

bool sheaf_drain_cpu(struct kmem_cache *cache, unsigned cpu)
{
	struct kmem_cache_cpu *c = cache_cpu(cache, cpu);
	struct port_stack *main, *spare;

	if (is_closed(c) || (cpu != port_cpu() && !port_irq_enabled()))
		return false;
	unsigned long flags = spin_lock_irqsave(&c->cc_lock);
	main = port_load(&c->cc_main);
	spare = port_load(&c->cc_spare);
	port_store(&c->cc_main, &closed_sheaf);
	port_store(&c->cc_spare, &closed_sheaf);
	spin_unlock_irqrestore(&c->cc_lock, flags);
	if (main == &closed_sheaf)
		return false;
	port_window_fence(cpu);
	flush_sheaf(cache, main);
	flush_sheaf(cache, spare);
	return true;
}

void sheaf_drain_barn(struct kmem_cache *cache, struct kmem_cache_node *node)
{
	struct barn *barn = &node->kn_barn;
	struct port_stack *sheaf = NULL;

	for (; barn_trade(barn, &barn->bn_full, &barn->bn_vacant, &sheaf); sheaf = NULL)
		flush_sheaf(cache, sheaf);
	for (; barn_trade(barn, &barn->bn_empty, &barn->bn_vacant, &sheaf); sheaf = NULL)
		end_sheaf(sheaf);
}

uint64_t sheaf_objects(struct kmem_cache *cache)
{
	uint64_t objects = 0;

	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++) {
		struct kmem_cache_cpu *c = cache_cpu(cache, cpu);
		unsigned long flags = spin_lock_irqsave(&c->cc_lock);

		objects += port_load(&port_load(&c->cc_main)->ps_count);
		objects += port_load(&port_load(&c->cc_spare)->ps_count);
		spin_unlock_irqrestore(&c->cc_lock, flags);
	}
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
		if (cache->kc_node[nid])
			objects += barn_objects(&cache->kc_node[nid]->kn_barn);
	return objects;
}

/* ---- allocation ---- */

/* An object of this CPU's memory node; NULL: none without new memory. Slow lock held. */
static void *refill(struct kmem_cache *cache, struct kmem_cache_cpu *c)
{
	struct barn *barn = barn_of(cache, c);
	struct port_stack *main = port_load(&c->cc_main);

	if (main == &closed_sheaf)
		return NULL;
	if (port_load(&main->ps_count)) /* an interrupt filled it, or freed to it */
		return take_last(main);
	if (port_load(&port_load(&c->cc_spare)->ps_count)) {
		swap_sheaves(c);
		return take_last(port_load(&c->cc_main));
	}
	if (barn && barn_trade(barn, &barn->bn_full, &barn->bn_empty, &main)) {
		port_store(&c->cc_main, main);
		return take_last(main);
	}
	unsigned nr = partial_take_run(cache, c, &main->ps_item[0], port_load(&main->ps_max));
	port_store(&main->ps_count, nr);
	return nr ? take_last(main) : NULL;
}

/* Other CPUs may hold what this one needs. */
static void *alloc_after_draining(struct kmem_cache *cache, gfp_t gfp)
{
	bool any = false;

	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++)
		any |= sheaf_drain_cpu(cache, cpu);
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		struct kmem_cache_node *node = cache->kc_node[nid];

		if (!node || !port_load(&node->kn_barn.bn_full))
			continue;
		sheaf_drain_barn(cache, node);
		any = true;
	}
	return any ? slab_alloc(cache, gfp) : NULL;
}

void *sheaf_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	if (!port_load(&cache->kc_sheaf_max))
		return slab_alloc(cache, gfp);
	if (is_closed(cache_this_cpu(cache)))
		open_sheaves(cache);

	unsigned long flags = port_irq_save();
	struct kmem_cache_cpu *c = cache_this_cpu(cache);

	spin_lock(&c->cc_lock);
	void *object = refill(cache, c);
	if (!object) {
		object = partial_alloc_slow(cache, gfp, flags);
		return object ? object : alloc_after_draining(cache, gfp);
	}
	partial_unlock(cache, c);
	port_irq_restore(flags);
	port_object_taken(object, cache->kc_object_bytes);
	return slab_zeroed(cache, object, gfp);
}

/* ---- free ---- */

/*
 * Makes room in main, whose objects move to `out` if there is no other way; how many did. Slow lock
 * held.
 */
static unsigned make_room(struct kmem_cache *cache, struct kmem_cache_cpu *c, void **out)
{
	struct barn *barn = barn_of(cache, c);
	struct port_stack *main = port_load(&c->cc_main);
	unsigned nr = port_load(&main->ps_count);

	if (has_room(main))
		return 0;
	if (has_room(port_load(&c->cc_spare))) {
		swap_sheaves(c);
		return 0;
	}
	if (barn && barn_trade(barn, &barn->bn_empty, &barn->bn_full, &main)) {
		port_store(&c->cc_main, main);
		return 0;
	}
	for (unsigned i = 0; i < nr; i++)
		out[i] = port_load(&main->ps_item[i]);
	port_store(&main->ps_count, 0u);
	return nr;
}

/* A barn that has vacant slots gets an empty sheaf, for the next full one to be traded for. */
static void stock_barn(struct kmem_cache *cache, struct barn *barn)
{
	if (!barn || port_load(&barn->bn_empty) || !port_load(&barn->bn_vacant))
		return;
	struct port_stack *sheaf = make_sheaf(cache);

	if (sheaf && !barn_trade(barn, &barn->bn_vacant, &barn->bn_empty, &sheaf))
		end_sheaf(sheaf);
}

/* Puts an object of node `nid` into main. False: that is not this CPU's, or its sheaves are closed. */
static bool put(struct kmem_cache *cache, void *object, unsigned nid)
{
	void *out[SHEAF_MAX];
	unsigned nr = 0;

	stock_barn(cache, barn_of(cache, cache_this_cpu(cache)));
	unsigned long flags = port_irq_save();
	struct kmem_cache_cpu *c = cache_this_cpu(cache);

	spin_lock(&c->cc_lock);
	bool takes = !is_closed(c) && c->cc_nid == nid;
	if (takes) {
		nr = make_room(cache, c, out);
		struct port_stack *main = port_load(&c->cc_main);
		uint32_t count = port_load(&main->ps_count);

		port_store(&main->ps_item[count], object);
		port_store(&main->ps_count, count + 1);
	}
	spin_unlock(&c->cc_lock);
	port_irq_restore(flags);
	flush(cache, out, nr);
	return takes;
}

void sheaf_free(struct page *page, void *object, struct kmem_cache *given, const void *caller)
{
	struct kmem_cache *cache = port_load_acquire(&page->pg_cache);
	uint64_t word = port_load(&page->pg_word);

	if (port_load(&cache->kc_sheaf_max) && (!given || given == cache) &&
		page_node(word) == cache_this_cpu(cache)->cc_nid &&
		slab_index(cache, slab_mask(page), slab_pair(page).hi, object) >= 0) {
		if (is_closed(cache_this_cpu(cache)))
			open_sheaves(cache);
		port_object_freed(object, cache->kc_object_bytes);
		if (put(cache, object, page_node(word)))
			return;
	}
	slab_free(page, !(word & PAGE_ODD_ORDER), object, given, caller);
}
