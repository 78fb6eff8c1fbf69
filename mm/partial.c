/*
 * Slabs between the CPU that allocates from them and the node whose memory they are.
 *
 * Each CPU holds a few frozen slabs of a cache and allocates from the first. Each node has a list
 * of its partial slabs, in buckets by how much of a slab was free when it was put there. A refill
 * takes from the middle first: a slab with one free object would be full again at once, and one
 * that is nearly empty is about to be given back.
 *
 * Frees come from anywhere, with interrupts on, and are one compare-exchange: of one object, or of
 * a run of a slab's objects. Only three of them do more:
 *	the slab was full, of this CPU's node	freeze it in the same exchange, keep it on this CPU
 *	the slab was full, of another node	put it on that node's list
 *	the slab is partial, and now empty	give it back if its node has enough
 * The last two take the node's list lock before the exchange, since "not frozen and not full <=> on
 * the list" must hold whenever the lock is free.
 *
 * Locks: slow lock (cc_lock) of one CPU and cache, then one node's list lock. Both with interrupts
 * off.
 */
#include "mm/slab.h"
#include <dolmen/numa.h>
#include "mm/page_alloc.h"

/* ---- a node's list; kn_lock held ---- */

static struct list_head *bucket_of(struct list_head *buckets, uint64_t counters)
{
	return &buckets[pair_free(counters) * PARTIAL_BUCKETS / (pair_objects(counters) + 1)];
}

static void list_slab(struct kmem_cache_node *node, struct page *page, uint64_t counters)
{
	list_add(&page->pg_list, bucket_of(&node->kn_partial[0], counters));
	port_store(&node->kn_nr_partial, port_load(&node->kn_nr_partial) + 1);
}

static void unlist_slab(struct kmem_cache_node *node, struct page *page)
{
	list_del(&page->pg_list);
	port_store(&node->kn_nr_partial, port_load(&node->kn_nr_partial) - 1);
}

static struct page *pick_slab(struct kmem_cache_node *node)
{
	static const uint8_t order[PARTIAL_BUCKETS] = {1, 2, 3, 0};

	for (unsigned i = 0; i < PARTIAL_BUCKETS; i++) {
		struct list_head *bucket = &node->kn_partial[order[i]];

		if (!list_empty(bucket))
			return list_first(bucket, struct page, pg_list);
	}
	return NULL;
}

static struct kmem_cache_node *slab_node(struct kmem_cache *cache, struct page *page)
{
	return cache->kc_node[page_node(port_load(&page->pg_word))];
}

/* ---- freezing and thawing ---- */

/*
 * Sets or clears the frozen bit of a slab that has exactly one owner; returns the counters as they
 * are now.
 */
static uint64_t set_frozen(struct kmem_cache *cache, struct page *page, bool frozen)
{
	for (;;) {
		struct port_pair old = slab_pair(page), new = old;

		new.hi = frozen ? old.hi | SLAB_FROZEN : old.hi & ~SLAB_FROZEN;
		if (likely(cmpxchg_double_slab(page, old, new)))
			return new.hi;
		slab_count(cache, CMPXCHG_DOUBLE_FAIL);
	}
}

/*
 * Thaws a slab if it is full, so that the next free finds it on no list and takes it up. False: it
 * has room again.
 */
static bool unfreeze_full(struct kmem_cache *cache, struct page *page)
{
	struct port_pair old;

	while (pair_full((old = slab_pair(page)).hi)) {
		struct port_pair new = {old.lo, old.hi & ~SLAB_FROZEN};

		if (cmpxchg_double_slab(page, old, new))
			return true;
		slab_count(cache, CMPXCHG_DOUBLE_FAIL);
	}
	return false;
}

/*
 * Under the list lock: a slab that was just thawed, or just got its first free object, to the list;
 * true: give it back instead.
 */
static bool settle(struct kmem_cache *cache, struct kmem_cache_node *node, struct page *page,
	uint64_t counters)
{
	if (!pair_inuse(counters) &&
		port_load(&node->kn_nr_partial) >= port_load(&cache->kc_min_partial))
		return true;
	list_slab(node, page, counters);
	return false;
}

/* Ends an empty slab; its pages. */
static size_t give_back(struct kmem_cache *cache, struct page *page)
{
	size_t pages = (size_t)1 << port_load(&page->pg_order);

	slab_discard(cache, page);
	return pages;
}

size_t partial_unfreeze(struct kmem_cache *cache, struct page **slabs, unsigned nr)
{
	struct kmem_cache_node *locked = NULL;
	struct page *empty[CPU_SLABS_MAX];
	unsigned nr_empty = 0;
	size_t pages = 0;
	unsigned long flags = port_irq_save();

	for (unsigned i = 0; i < nr; i++) {
		struct kmem_cache_node *node = slab_node(cache, slabs[i]);

		if (unfreeze_full(cache, slabs[i])) {
			slab_count(cache, DEACTIVATE_FULL);
			continue;
		}
		if (node != locked) {
			if (locked)
				spin_unlock(&locked->kn_lock);
			spin_lock(&node->kn_lock);
			locked = node;
		}
		if (settle(cache, node, slabs[i], set_frozen(cache, slabs[i], false)))
			empty[nr_empty++] = slabs[i];
		else
			slab_count(cache, DEACTIVATE_TO_HEAD);
	}
	if (locked)
		spin_unlock(&locked->kn_lock);
	port_irq_restore(flags);
	while (nr_empty) {
		slab_count(cache, DEACTIVATE_EMPTY);
		pages += give_back(cache, empty[--nr_empty]);
	}
	return pages;
}

/* ---- a CPU's slots; its slow lock held ---- */

static void drop_slot(struct kmem_cache_cpu *c, unsigned slot)
{
	unsigned last = port_load(&c->cc_nr) - 1u;

	port_store(&c->cc_slab[slot], port_load(&c->cc_slab[last]));
	port_store(&c->cc_slab[last], (struct page *)NULL);
	port_store(&c->cc_nr, (uint16_t)last);
}

static void push_slot(struct kmem_cache_cpu *c, struct page *page)
{
	unsigned nr = port_load(&c->cc_nr);

	port_store(&c->cc_slab[nr], page);
	port_store(&c->cc_nr, (uint16_t)(nr + 1));
}

void partial_unlock(struct kmem_cache *cache, struct kmem_cache_cpu *c)
{
	struct page *page = port_load(&c->cc_slab[0]);

	if (page)
		port_store(&c->cc_base, slab_window_base(cache, page));
	spin_unlock(&c->cc_lock);
}

/*
 * Half of the slots, more if the limit was lowered, to their nodes; the current slab stays if the
 * limit is above one.
 */
static void hand_over_half(struct kmem_cache *cache, struct kmem_cache_cpu *c)
{
	struct page *slabs[CPU_SLABS_MAX];
	unsigned nr = port_load(&c->cc_nr), half = (nr + 1) / 2;
	unsigned limit = port_load(&cache->kc_cpu_slabs);

	if (nr - half >= limit)
		half = nr + 1 - limit;
	for (unsigned i = 0; i < half; i++) {
		slabs[i] = port_load(&c->cc_slab[nr - 1 - i]);
		drop_slot(c, nr - 1 - i);
	}
	partial_unfreeze(cache, slabs, half);
	slab_count(cache, CPU_PARTIAL_DRAIN);
}

/* Keeps a frozen slab that nobody holds on this CPU. */
static void keep_slab(struct kmem_cache *cache, struct page *page)
{
	unsigned long flags = port_irq_save();
	struct kmem_cache_cpu *c = cache_this_cpu(cache);

	spin_lock(&c->cc_lock);
	if (port_load(&c->cc_nr) >= port_load(&cache->kc_cpu_slabs))
		hand_over_half(cache, c);
	push_slot(c, page);
	partial_unlock(cache, c);
	port_irq_restore(flags);
}

/* Fills up to half of this CPU's slots, all empty, from a node's list in one hold of its lock. */
static bool refill_from_node(struct kmem_cache *cache, struct kmem_cache_cpu *c, unsigned nid)
{
	struct kmem_cache_node *node = cache->kc_node[nid];
	unsigned want = (port_load(&cache->kc_cpu_slabs) + 1) / 2;
	bool any = false;

	if (!node || !port_load(&node->kn_nr_partial))
		return false;
	spin_lock(&node->kn_lock);
	for (; want; want--) {
		struct page *page = pick_slab(node);

		if (!page)
			break;
		unlist_slab(node, page);
		set_frozen(cache, page, true);
		push_slot(c, page);
		slab_count(cache, ALLOC_FROM_PARTIAL);
		if (any)
			slab_count(cache, CPU_PARTIAL_NODE);
		any = true;
	}
	spin_unlock(&node->kn_lock);
	return any;
}

/*
 * Other nodes' slabs, nearest first. Of 100 refills that found the own list empty, remote_ratio do
 * so: memory near the CPU is worth a new slab, but not every time, or a node's half-used slabs are
 * never used up.
 */
static bool refill_from_remote(struct kmem_cache *cache, struct kmem_cache_cpu *c)
{
	unsigned sum = port_load(&c->cc_remote) + port_load(&cache->kc_remote_ratio);
	int nid;

	port_store(&c->cc_remote, sum % 100);
	if (sum < 100)
		return false;
	for (unsigned i = 1; (nid = numa_fallback(port_load(&c->cc_nid), i)) != NUMA_NO_NODE; i++)
		if (refill_from_node(cache, c, (unsigned)nid))
			return true;
	return false;
}

/* ---- allocation ---- */

/* The CPU's first slab, found full, makes room for the next, unless it has objects again. */
static void retire_slab(struct kmem_cache *cache, struct kmem_cache_cpu *c, struct page *page)
{
	/*
	 * Between thawing and dropping, another CPU may freeze the slab as its own. This CPU does
	 * not look at it again: the slow lock is held and interrupts are off.
	 */
	if (!unfreeze_full(cache, page)) {
		slab_count(cache, DEACTIVATE_REMOTE_FREES);
		return;
	}
	drop_slot(c, 0);
	slab_count(cache, DEACTIVATE_BYPASS);
	if (port_load(&c->cc_nr))
		slab_count(cache, CPU_PARTIAL_ALLOC);
}

/*
 * The CPU's first slab is used up: the next one that has an object, then the lists. Slow lock held.
 */
static void *take_slow(struct kmem_cache *cache, struct kmem_cache_cpu *c)
{
	do {
		struct page *page;

		while ((page = port_load(&c->cc_slab[0]))) {
			void *object = slab_take(cache, page);

			if (object)
				return object;
			retire_slab(cache, c, page);
		}
	} while (refill_from_node(cache, c, port_load(&c->cc_nid)) || refill_from_remote(cache, c));
	return NULL;
}

/*
 * Objects straight from a node's list, all that a slab has if they are wanted, in one hold of the
 * lock. The slab is off the list before they are taken: a free that finds it full then takes it up,
 * as it should.
 */
unsigned partial_take_list(
	struct kmem_cache *cache, struct kmem_cache_node *node, void **objects, unsigned max)
{
	unsigned nr = 0;
	struct page *page;

	if (!node || !port_load(&node->kn_nr_partial))
		return 0;
	spin_lock(&node->kn_lock);
	while (nr < max && (page = pick_slab(node))) {
		uint64_t counters;

		unlist_slab(node, page);
		nr += slab_take_run(cache, page, objects + nr, max - nr, &counters);
		/* Not full, so nobody else takes from it, and nobody but this one lists it. */
		if (pair_full(counters))
			slab_count(cache, ALLOC_FROM_PARTIAL);
		else
			list_slab(node, page, counters);
	}
	spin_unlock(&node->kn_lock);
	return nr;
}

unsigned partial_take_run(
	struct kmem_cache *cache, struct kmem_cache_cpu *c, void **objects, unsigned max)
{
	unsigned nid = port_load(&c->cc_nid), nr = 0;
	struct page *page;
	uint64_t counters;

	while (nr < max && (page = port_load(&c->cc_slab[0])) &&
		page_node(port_load(&page->pg_word)) == nid) {
		unsigned taken = slab_take_run(cache, page, objects + nr, max - nr, &counters);

		nr += taken;
		if (!taken)
			retire_slab(cache, c, page);
	}
	if (nr < max && !port_load(&c->cc_nr))
		nr += partial_take_list(cache, cache->kc_node[nid], objects + nr, max - nr);
	port_count(&c->cc_stat[ALLOC_SLOWPATH], nr);
	return nr;
}

static void *take_from_list(struct kmem_cache *cache, unsigned nid)
{
	unsigned long flags = port_irq_save();
	void *object;
	unsigned nr = partial_take_list(cache, cache->kc_node[nid], &object, 1);

	port_irq_restore(flags);
	if (!nr)
		return NULL;
	slab_count(cache, ALLOC_SLOWPATH);
	port_object_taken(object, cache->kc_object_bytes);
	return object;
}

/* The same from the nearest other node that has one. */
static void *take_from_others(struct kmem_cache *cache, unsigned nid)
{
	void *object = NULL;
	int other;

	for (unsigned i = 1; !object && (other = numa_fallback(nid, i)) != NUMA_NO_NODE; i++)
		object = take_from_list(cache, (unsigned)other);
	return object;
}

/*
 * No page is to be had: what lies free in slabs of other CPUs and, unless forbidden, other nodes.
 */
static void *take_anywhere(struct kmem_cache *cache, gfp_t gfp, unsigned nid)
{
	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++)
		partial_drain_cpu(cache, cpu);
	void *object = take_from_list(cache, nid);
	return object || gfp & __GFP_THISNODE ? object : take_from_others(cache, nid);
}

/*
 * The first object of a new slab. The slab stays on this CPU if no node was asked for, or the CPU's
 * own and it is of that.
 */
static void *grow(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	unsigned own = port_load(&cache_this_cpu(cache)->cc_nid);
	struct page *page = slab_new(cache, gfp, nid);

	if (!page && gfp & __GFP_NORETRY)
		return NULL;
	if (!page)
		return take_anywhere(cache, gfp, nid == NUMA_NO_NODE ? own : (unsigned)nid);
	void *object = slab_take(cache, page);
	slab_count(cache, ALLOC_SLOWPATH);
	unsigned home = page_node(port_load(&page->pg_word));
	if (nid != NUMA_NO_NODE)
		port_store(&cache->kc_node[nid]->kn_dry, home != (unsigned)nid);
	if (nid == NUMA_NO_NODE || (home == own && home == (unsigned)nid))
		keep_slab(cache, page);
	else
		partial_unfreeze(cache, &page, 1);
	return object;
}

void *partial_alloc_slow(struct kmem_cache *cache, gfp_t gfp, unsigned long flags)
{
	struct kmem_cache_cpu *c = cache_this_cpu(cache);
	void *object = take_slow(cache, c);

	if (object)
		port_count(&c->cc_stat[ALLOC_SLOWPATH], 1);
	partial_unlock(cache, c);
	port_irq_restore(flags);
	return slab_finished(cache, object ? object : grow(cache, gfp, NUMA_NO_NODE), gfp);
}

void *partial_alloc_wait(struct kmem_cache *cache, gfp_t gfp, unsigned long flags)
{
	spin_lock(&cache_this_cpu(cache)->cc_lock);
	return partial_alloc_slow(cache, gfp, flags);
}

/* An object of this CPU's slabs, if one of them is of the node. */
static void *take_of_node(struct kmem_cache *cache, unsigned nid)
{
	unsigned long flags = port_irq_save();
	struct kmem_cache_cpu *c = cache_this_cpu(cache);
	void *object = NULL;

	spin_lock(&c->cc_lock);
	for (unsigned i = 0; !object && i < port_load(&c->cc_nr); i++) {
		struct page *page = port_load(&c->cc_slab[i]);

		if (page_node(port_load(&page->pg_word)) == nid)
			object = slab_take(cache, page);
		else
			slab_count(cache, ALLOC_NODE_MISMATCH);
	}
	if (object)
		port_count(&c->cc_stat[ALLOC_SLOWPATH], 1);
	partial_unlock(cache, c);
	port_irq_restore(flags);
	return object;
}

/* The nearest node that the cache has a part on, for a node without memory or too small for one. */
static int nearest_part(struct kmem_cache *cache, unsigned nid)
{
	int other;

	for (unsigned i = 0; (other = numa_fallback(nid, i)) != NUMA_NO_NODE; i++)
		if (cache->kc_node[other])
			break;
	return other;
}

void *partial_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	if (nid < 0 || (unsigned)nid >= numa_nr_nodes())
		return NULL;
	if (!cache->kc_node[nid]) {
		nid = gfp & __GFP_THISNODE ? NUMA_NO_NODE : nearest_part(cache, (unsigned)nid);
		if (nid == NUMA_NO_NODE)
			return NULL;
	}
	void *object = take_of_node(cache, (unsigned)nid);
	if (!object)
		object = take_from_list(cache, (unsigned)nid);
	/*
	 * The last slab for this node had to be another's: use such up before the next one is made,
	 * while the node is still short of pages.
	 */
	if (!object && !(gfp & __GFP_THISNODE) && port_load(&cache->kc_node[nid]->kn_dry) &&
		numa_free_pages(nid) < page_alloc_managed((unsigned)nid) / 64)
		object = take_from_others(cache, (unsigned)nid);
	return slab_zeroed(cache, object ? object : grow(cache, gfp, nid), gfp);
}

void *partial_alloc_own(struct kmem_cache *cache, gfp_t gfp, void *object)
{
	unsigned own = port_load(&cache_this_cpu(cache)->cc_nid);
	uint64_t word;
	struct page *page = object_page(object, &word);

	if (!object || page_node(word) == own)
		return slab_zeroed(cache, object, gfp);
	slab_free(page, object, cache, NULL);
	return partial_alloc_node(cache, gfp, (int)own);
}

/* ---- free ---- */

enum after_free {
	NONE, /* nothing was freed */
	STAY, /* frozen, or partial and still in use: nothing moves */
	KEEP, /* was full, of this CPU's node: frozen in the exchange, kept here */
	LIST, /* was full, of another node: to that node's list */
	IDLE, /* on a list and empty now */
};

static enum after_free after_free(uint64_t old, uint64_t new, bool own_node)
{
	if (old & SLAB_FROZEN)
		return STAY;
	if (pair_full(old) && !pair_full(new))
		return own_node ? KEEP : LIST;
	return pair_inuse(new) ? STAY : IDLE;
}

/* One report for each object of a run that could not be freed. */
static void report_run(struct kmem_cache *cache, const struct slab_run *run, uint64_t objects,
	enum wrong_free wrong, const void *caller)
{
	for (; objects; objects &= objects - 1)
		slab_reports.wrong_free(
			wrong, cache, NULL, slab_run_object(cache, run, objects), caller);
}

/* A free under way. */
struct freeing {
	struct kmem_cache_node *locked; /* the slab's node if its lock is held */
	unsigned long flags;		/* interrupts before it was taken here */
	bool may_keep;			/* a full slab is to be kept on this CPU */
	uint64_t counters;		/* of the slab with the run in it */
	uint64_t twice;			/* objects of the run that were free already */
};

/*
 * True: bits that were set in a word are out of it again, as if they had never been. False: the
 * window has taken them along. What is there all the same then is another's, who freed the object
 * again meanwhile.
 */
static bool take_bits_back(uint64_t *word, uint64_t bits)
{
	uint64_t found = port_fetch_and(word, ~bits) & bits;

	if (found && found != bits)
		port_fetch_or(word, found);
	return found == bits;
}

/* The exchange, and what it leaves to do. What is left in the run was not an object any more. */
static enum after_free put_run(
	struct kmem_cache *cache, struct slab_run *run, struct freeing *freeing)
{
	struct page *page = run->page;
	uint64_t *word = cache->kc_wide ? slab_words(cache, page) + run->window : NULL;
	bool are_set = false; /* by a try before: the objects may be others' by now */

	while (run->objects) {
		struct port_pair old = slab_pair_steady(page);
		struct port_pair new = {old.lo, old.hi - run->nr * SLAB_INUSE_ONE};
		bool in_window = run->window == pair_window(old.hi);
		enum after_free step = after_free(old.hi, new.hi, freeing->may_keep);
		uint64_t free_already = 0;

		if (unlikely(port_load(&page->pg_cache) != cache))
			break; /* the slab ended meanwhile: its last object was freed twice */
		if (step >= LIST && !freeing->locked) { /* if the pair moved on, this one fails */
			freeing->locked = slab_node(cache, page);
			freeing->flags = spin_lock_irqsave(&freeing->locked->kn_lock);
		}
		if (step == KEEP)
			new.hi |= SLAB_FROZEN;
		if (!are_set) {
			slab_run_freed(cache, run);
			free_already = in_window ? old.lo | (word ? port_load(word) : 0)
						 : port_fetch_or(word, run->objects);
			free_already &= run->objects;
			if (in_window)
				new.lo |= run->objects;
		}
		if (likely(!free_already) && likely(cmpxchg_double_slab(page, old, new))) {
			slab_run_count(cache, run, old.hi);
			freeing->counters = new.hi;
			run->objects = 0;
			return step;
		}
		if (!free_already)
			slab_count(cache, CMPXCHG_DOUBLE_FAIL);
		slab_run_leave_out(run, free_already);
		freeing->twice |= free_already;
		if (!are_set && !in_window)
			are_set = !take_bits_back(word, run->objects);
	}
	return NONE;
}

/* Under the list lock: the slab's place on the list; true: give it back instead. */
static bool place_slab(struct kmem_cache *cache, struct page *page, const struct freeing *freeing,
	enum after_free step)
{
	struct kmem_cache_node *node = freeing->locked;

	if (step == LIST) {
		slab_count(cache, FREE_ADD_PARTIAL);
		return settle(cache, node, page, freeing->counters);
	}
	if (step != IDLE || port_load(&node->kn_nr_partial) <= port_load(&cache->kc_min_partial))
		return false;
	unlist_slab(node, page);
	slab_count(cache, FREE_REMOVE_PARTIAL);
	return true;
}

size_t partial_free_run(
	struct kmem_cache *cache, struct slab_run *run, bool may_keep, const void *caller)
{
	struct page *page = run->page;
	struct freeing freeing = {.may_keep = may_keep};
	enum after_free step = put_run(cache, run, &freeing);
	bool empty = step >= LIST && place_slab(cache, page, &freeing, step);

	if (freeing.locked)
		spin_unlock_irqrestore(&freeing.locked->kn_lock, freeing.flags);
	if (step == KEEP) {
		keep_slab(cache, page);
		slab_count(cache, CPU_PARTIAL_FREE);
	}
	if (unlikely(run->objects | freeing.twice)) {
		report_run(cache, run, run->objects, FREE_FOREIGN, caller);
		report_run(cache, run, freeing.twice, FREE_TWICE, caller);
	}
	return empty ? give_back(cache, page) : 0;
}

size_t partial_free_slow(
	struct kmem_cache *cache, struct page *page, unsigned index, const void *caller)
{
	struct slab_run run = {.page = page,
		.window = index / WINDOW_OBJECTS,
		.nr = 1,
		.objects = 1ul << (index % WINDOW_OBJECTS)};
	unsigned nid = page_node(port_load(&page->pg_word));

	if (unlikely(cache == &no_cache)) { /* the slab has ended: it was not an object any more */
		report_run(cache, &run, run.objects, FREE_FOREIGN, caller);
		return 0;
	}
	return partial_free_run(
		cache, &run, nid == port_load(&cache_this_cpu(cache)->cc_nid), caller);
}

/* ---- giving back ---- */

size_t partial_drain_cpu(struct kmem_cache *cache, unsigned cpu)
{
	struct kmem_cache_cpu *c = cache_cpu(cache, cpu);
	struct page *slabs[CPU_SLABS_MAX];
	unsigned nr = 0;

	unsigned long flags = spin_lock_irqsave(&c->cc_lock);
	while (port_load(&c->cc_nr)) {
		slabs[nr++] = port_load(&c->cc_slab[0]);
		drop_slot(c, 0);
	}
	spin_unlock_irqrestore(&c->cc_lock, flags);
	slab_count(cache, CPUSLAB_FLUSH);
	return partial_unfreeze(cache, slabs, nr);
}

size_t partial_shrink_node(struct kmem_cache *cache, struct kmem_cache_node *node)
{
	struct list_head sorted[PARTIAL_BUCKETS], empty, *pos, *tmp;
	size_t pages = 0;

	list_init(&empty);
	for (unsigned i = 0; i < PARTIAL_BUCKETS; i++)
		list_init(&sorted[i]);

	unsigned long flags = spin_lock_irqsave(&node->kn_lock);
	for (unsigned i = 0; i < PARTIAL_BUCKETS; i++) {
		list_for_each_safe (pos, tmp, &node->kn_partial[i]) {
			struct page *page = container_of(pos, struct page, pg_list);
			uint64_t counters = slab_pair(page).hi;

			/*
			 * Nothing can change an empty slab on a list: no object is out, and takers
			 * wait for the lock.
			 */
			list_del(pos);
			if (pair_inuse(counters)) {
				list_add_tail(pos, bucket_of(sorted, counters));
				continue;
			}
			list_add(pos, &empty);
			port_store(&node->kn_nr_partial, port_load(&node->kn_nr_partial) - 1);
		}
	}
	for (unsigned i = 0; i < PARTIAL_BUCKETS; i++)
		list_splice(&sorted[i], &node->kn_partial[i]);
	spin_unlock_irqrestore(&node->kn_lock, flags);

	while (!list_empty(&empty)) {
		struct page *page = list_first(&empty, struct page, pg_list);

		list_del(&page->pg_list);
		pages += give_back(cache, page);
	}
	return pages;
}
