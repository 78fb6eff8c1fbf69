/*
 * Ghost state: who owns each slab, which objects are out; and the invariants that mm/ is held to.
 *
 * A slab's ghost changes in the step that exchanges its pair or writes a CPU's slot, so a wrong
 * step is found where it happens, not where it hurts:
 *	taken from	only if frozen, by the fiber that froze it or by its CPU under the slow lock
 *	freed to	only the object that the fiber gives back; under the list lock if the slab
 *	was full and stays unfrozen, or
 *			is partial and becomes empty
 *	frozen		off its list, under the list lock; or by the free that found it full
 *	thawed		by its owner; under the list lock unless it is full
 *	ended		empty, unfrozen, owned by nobody
 *	list unlocked	on the list <=> not frozen and not full; the count is exact. Empty slabs
 *	on their way out are on no list
 *
 * When all is quiet watch_check_all() looks at every page: free, held by the program, or in a
 * slab of a known cache; each object out or free; frozen slabs in exactly one slot; totals exact.
 */
#include "test/model/world.h"

#include "lib/printf.h"

/* The owner of a slab in a CPU's slots. */
static char slots_owner[MODEL_CPUS];
static struct model_fiber outside; /* stands for code outside model_run() */

struct ghost {
	struct port_pair pair; /* the last whole one */
	const void *owner; /* a fiber, &slots_owner[cpu], or NULL: on a list, full, or no slab */
	struct spinlock *slots; /* in a slot: that CPU's slow lock */
	bool from_list;		/* frozen as it was taken off its node's list */
};

struct ghosts {
	struct ghost page[WORLD_NODES_MAX][WORLD_PAGES];
	struct granules out;			    /* the program's objects */
	uint8_t held[WORLD_NODES_MAX][WORLD_PAGES]; /* the program's own pages */
};

static struct ghosts now;
static struct ghost at_boot[WORLD_NODES_MAX][WORLD_PAGES];
static uint64_t generation_mask = ~0ul;
static bool watching, exact_frees, wrong_frees;

static const struct model_fiber *actor(void)
{
	const struct model_fiber *fiber = model_actor();

	return fiber ? fiber : &outside;
}

static unsigned actor_cpu(void)
{
	const struct model_fiber *fiber = actor();

	return fiber == &outside ? model_self->cpu : fiber->cpu;
}

const char *page_name(const struct page *page)
{
	static char name[32];
	unsigned nid = 0, index = 0;

	if (!world_find_page(page, &nid, &index))
		return "a page of another world";
	format_text(name, sizeof(name), "page %u of node %u", index, nid);
	return name;
}

static bool is_out(const void *object)
{
	uint64_t bit, *word = granule_of(&now.out, object, &bit);

	return word && *word & bit;
}

static struct ghost *ghost_of(const struct page *page)
{
	unsigned nid, index;

	if (!world_find_page(page, &nid, &index))
		model_fail("%p is no page of the world", (const void *)page);
	return &now.page[nid][index];
}

static struct kmem_cache_node *node_of(const struct page *page)
{
	return page->pg_cache->kc_node[page_node(page->pg_word)];
}

static bool holds_list(const struct page *page)
{
	return model_holds(&node_of(page)->kn_lock);
}

/* ---- one exchange ---- */

/* A frozen slab is its freezer's, or its CPU's under the slow lock; another is the list's. */
static void check_owner(const struct page *page, const struct ghost *ghost, const char *what)
{
	const struct model_fiber *fiber = actor();

	if (ghost->owner == fiber)
		return;
	if (!(ghost->pair.hi & SLAB_FROZEN)) {
		if (!holds_list(page))
			model_fail("%s, neither frozen nor under its node's lock, is %s",
				page_name(page), what);
		return;
	}
	if (ghost->owner != &slots_owner[actor_cpu()])
		model_fail("%s, frozen by somebody else, is %s", page_name(page), what);
	if (!model_holds(ghost->slots))
		model_fail("%s is %s without its CPU's slow lock", page_name(page), what);
}

/* A run of the lowest bits. */
static void on_take(const struct page *page, struct ghost *ghost, struct port_pair new, unsigned nr)
{
	uint64_t left = ghost->pair.lo;

	if ((ghost->pair.hi ^ new.hi) & SLAB_FROZEN)
		model_fail("a take freezes or thaws %s", page_name(page));
	check_owner(page, ghost, "taken from");
	for (; nr && left; nr--)
		left &= left - 1;
	if (nr || new.lo != left || pair_window(new.hi) != pair_window(ghost->pair.hi))
		model_fail("the free set of %s is not what a take leaves", page_name(page));
}

/* The objects are in the window, and their bits change; or these were set in their word before. */
static void check_freed(
	const struct page *page, const struct ghost *ghost, struct port_pair new, unsigned nr)
{
	const struct kmem_cache *cache = page->pg_cache;
	uint64_t bits = ghost->pair.lo ^ new.lo;
	const char *freeing = model_actor_frees();

	if (bits & ~new.lo || (bits && (unsigned)__builtin_popcountl(bits) != nr))
		model_fail("a free of %u changes the free set of %s from %lx to %lx", nr,
			page_name(page), ghost->pair.lo, new.lo);
	if (!bits && !cache->kc_wide)
		model_fail("a free to %s frees nothing", page_name(page));
	if (pair_window(new.hi) != pair_window(ghost->pair.hi))
		model_fail("a free moves the window of %s", page_name(page));
	for (; bits; bits &= bits - 1) {
		unsigned index =
			pair_window(new.hi) * WINDOW_OBJECTS + (unsigned)__builtin_ctzl(bits);
		const char *object = world_page_address(page) + (size_t)index * cache->kc_stride;

		if (exact_frees && freeing && freeing != object)
			model_fail("a free of %p frees object %u of %s", (const void *)freeing,
				index, page_name(page));
		if (!wrong_frees && is_out(object))
			model_fail("object %u of %s is freed and out", index, page_name(page));
	}
}

static void on_free(const struct page *page, struct ghost *ghost, struct port_pair new, unsigned nr)
{
	bool frozen = new.hi &SLAB_FROZEN;

	check_freed(page, ghost, new, nr);
	if (ghost->pair.hi & SLAB_FROZEN) {
		if (!frozen)
			model_fail("a free thaws %s", page_name(page));
	} else if (pair_full(ghost->pair.hi)) {
		if (frozen && !model_migrates() &&
			page_node(page->pg_word) != world_cpu_node(actor_cpu()))
			model_fail("%s is kept by CPU %u of another node", page_name(page),
				actor_cpu());
		if (frozen)
			ghost->owner = actor();
		else if (!pair_full(new.hi) && !holds_list(page))
			model_fail("%s gets room without the list lock", page_name(page));
	} else if (frozen) {
		model_fail("a free freezes %s, which is on a list", page_name(page));
	} else if (!pair_inuse(new.hi) && !holds_list(page)) {
		model_fail("%s becomes empty without the list lock", page_name(page));
	}
}

/*
 * No object comes or goes: the window of a wide slab moves or gets its bits. With them a second
 * free of an object that was on its way there may be taken back.
 */
static void on_window(const struct page *page, const struct ghost *ghost, struct port_pair new)
{
	if (!page->pg_cache->kc_wide || (ghost->pair.hi ^ new.hi) & SLAB_FROZEN ||
		ghost->pair.lo & ~new.lo)
		model_fail("the free set of %s changes from %lx to %lx", page_name(page),
			ghost->pair.lo, new.lo);
	check_owner(page, ghost, "moved in its window");
}

static void on_freeze(const struct page *page, struct ghost *ghost, bool frozen)
{
	if (frozen) {
		if (!holds_list(page))
			model_fail("%s is frozen without the list lock", page_name(page));
		if (pair_full(ghost->pair.hi))
			model_fail("%s is frozen while full, so on no list", page_name(page));
		if (ghost->owner)
			model_fail("%s is frozen and has an owner", page_name(page));
		ghost->owner = actor();
		ghost->from_list = true;
		return;
	}
	check_owner(page, ghost, "thawed");
	ghost->from_list = false;
	if (!pair_full(ghost->pair.hi) && !holds_list(page))
		model_fail("%s is thawed with room and without the list lock", page_name(page));
	ghost->owner = NULL;
}

static void on_exchange(const struct page *page, struct port_pair new)
{
	struct ghost *ghost = ghost_of(page);
	struct port_pair old = ghost->pair;
	int inuse = (int)pair_inuse(new.hi) - (int)pair_inuse(old.hi);
	bool taken_back = wrong_frees && inuse > 0 && !(old.lo & ~new.lo);

	if (pair_inuse(new.hi) > pair_objects(new.hi) + MODEL_FIBERS * WORLD_SHEAF_MAX)
		model_fail("%s: %u objects of %u in use", page_name(page), pair_inuse(new.hi),
			pair_objects(new.hi));
	if (!pair_objects(old.hi) && pair_objects(new.hi)) {
		if (inuse || !(new.hi &SLAB_FROZEN))
			model_fail("%s is born in use or not frozen", page_name(page));
		ghost->owner = actor();
	} else if (pair_objects(old.hi) && !pair_objects(new.hi)) {
		if (pair_inuse(old.hi) || old.hi & SLAB_FROZEN)
			model_fail("%s ends in use or frozen", page_name(page));
		ghost->owner = NULL;
	} else if (pair_objects(old.hi) != pair_objects(new.hi)) {
		model_fail("%s changes its number of objects", page_name(page));
	} else if (inuse > 0 && !taken_back) {
		on_take(page, ghost, new, (unsigned)inuse);
	} else if (inuse < 0) {
		on_free(page, ghost, new, (unsigned)-inuse);
	} else if (taken_back || old.lo != new.lo || pair_window(old.hi) != pair_window(new.hi)) {
		on_window(page, ghost, new);
	} else if ((old.hi ^ new.hi) & SLAB_FROZEN) {
		on_freeze(page, ghost, new.hi &SLAB_FROZEN);
	}
	ghost->pair = new;
}

void watch_pair(struct port_pair *at, struct port_pair old, struct port_pair value)
{
	const struct page *page = container_of(at, struct page, pg_pair);

	(void)old;
	if (watching)
		on_exchange(page, value);
}

uint64_t watch_counters(uint64_t counters)
{
	return counters & generation_mask;
}

/* ---- plain stores ---- */

uint64_t watch_value(void *at, uint64_t value, unsigned bytes)
{
	return (uintptr_t)at % 64 == 24 && bytes == 8 &&
			       model_lines[((char *)at - model_base) / 64] == LINE_PAGE
		       ? value & generation_mask
		       : value;
}

static void on_slot(struct kmem_cache *cache, unsigned cpu, const void *old, const void *new)
{
	struct kmem_cache_cpu *c = world_cpu_part(cache, cpu);
	const struct model_fiber *fiber = actor();

	if (!model_holds(&c->cc_lock))
		model_fail("a slot is written without its slow lock");
	if (old == new)
		return;
	if (old) {
		struct ghost *ghost = ghost_of(old);
		bool elsewhere = false;

		for (unsigned i = 0; i < CPU_SLABS_MAX; i++)
			elsewhere |= c->cc_slab[i] == old;
		if (ghost->owner == &slots_owner[cpu] && !elsewhere)
			ghost->owner = fiber;
	}
	if (new) {
		struct ghost *ghost = ghost_of(new);

		if (ghost->owner != fiber && ghost->owner != &slots_owner[cpu])
			model_fail("%s, not this CPU's, is put into a slot", page_name(new));
		if (ghost->from_list && !cache->kc_remote_ratio &&
			page_node(((const struct page *)new)->pg_word) != world_cpu_node(cpu))
			model_fail("%s comes from another node's list, which this cache forbids",
				page_name(new));
		ghost->owner = &slots_owner[cpu];
		ghost->slots = &c->cc_lock;
	}
}

static void on_slot_line(void *at, uint64_t old, uint64_t value)
{
	for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++) {
		size_t offset = (size_t)((char *)at - (char *)model_cpus[cpu].percpu);

		if (offset >= DOLMEN_PERCPU_BYTES)
			continue;
		for (unsigned i = 0; i < WORLD_CACHES; i++) {
			struct kmem_cache *cache = world_caches[i];
			const size_t first = offsetof(struct kmem_cache_cpu, cc_slab);

			if (cache)
				watch_sheaf_slot(world_cpu_part(cache, cpu), at);
			if (!cache || offset < cache->kc_cpu_offset + first ||
				offset >= cache->kc_cpu_offset + first +
						  CPU_SLABS_MAX * sizeof(struct page *))
				continue;
			on_slot(cache, cpu, (const void *)old, (const void *)value);
		}
	}
}

void watch_stored(void *at, uint64_t old, uint64_t value, unsigned bytes)
{
	if (!watching)
		return;
	if (model_lines[((char *)at - model_base) / 64] == LINE_DEAD)
		model_fail("a CPU's part of a cache is written after the cache is destroyed");
	if (model_lines[((char *)at - model_base) / 64] == LINE_SLOTS) {
		if (bytes == 8)
			on_slot_line(at, old, value);
		return;
	}
	unsigned offset = (uintptr_t)at % 64;

	if (offset < 16 || offset >= 32)
		return;
	struct page *page = (struct page *)((char *)at - offset);

	if (model_cas16_works)
		model_fail("the pair of %s is changed by a plain store", page_name(page));
	if (!model_holds(&page->pg_lock))
		model_fail("the pair of %s is changed without its lock", page_name(page));
	if (offset == 24)
		on_exchange(page, page->pg_pair);
}

bool watch_lockless(const void *at)
{
	uint64_t offset = (uint64_t)((const char *)at - model_base);
	unsigned in_line = (uintptr_t)at % 64;

	if (offset >= MODEL_MEMORY_BYTES)
		return false;
	if (model_lines[offset / 64] == LINE_PAGE)
		return in_line < 32 || in_line == offsetof(struct page, pg_lock);
	/* A free set at the end of a slab. */
	return (uintptr_t)at % PAGE_SIZE >= world_caches[CACHE_WIDE]->kc_wide ||
	       watch_of_sheaves(at) || watch_of_page_cache(at);
}

/* ---- lists ---- */

static bool is_partial(const struct ghost *ghost)
{
	return pair_objects(ghost->pair.hi) && !(ghost->pair.hi & SLAB_FROZEN) &&
	       !pair_full(ghost->pair.hi);
}

/* Marks what is on the list in `listed`, and returns how many. */
static unsigned walk_list(
	struct kmem_cache *cache, unsigned nid, bool listed[WORLD_PAGES], unsigned *nr_empty)
{
	struct kmem_cache_node *node = cache->kc_node[nid];
	unsigned nr = 0;

	*nr_empty = 0;
	for (unsigned bucket = 0; bucket < PARTIAL_BUCKETS; bucket++) {
		struct list_head *head = &node->kn_partial[bucket], *pos;

		for (pos = head->next; pos != head; pos = pos->next) {
			const struct page *page = container_of(pos, struct page, pg_list);
			unsigned at_node, index;

			if (!world_find_page(page, &at_node, &index) || at_node != nid)
				model_fail("%p on the list of %s on node %u", (const void *)page,
					cache->kc_name, nid);
			if (listed[index])
				model_fail("%s is on a list twice", page_name(page));
			if (page->pg_cache != cache || !is_partial(&now.page[nid][index]))
				model_fail("%s is on the list of %s: full, frozen or not its slab",
					page_name(page), cache->kc_name);
			if (pos->next->prev != pos || pos->prev->next != pos)
				model_fail("the links of %s are broken", page_name(page));
			listed[index] = true;
			*nr_empty += !pair_inuse(now.page[nid][index].pair.hi);
			nr++;
		}
	}
	return nr;
}

/*
 * The list lock is free, or about to be. `quiet`: nobody is on the way to give back an empty
 * slab.
 */
static void check_list(struct kmem_cache *cache, unsigned nid, bool quiet, bool exact_limits)
{
	bool listed[WORLD_PAGES] = {false};
	struct kmem_cache_node *node = cache->kc_node[nid];
	unsigned nr_empty, nr = walk_list(cache, nid, listed, &nr_empty);

	if (nr != node->kn_nr_partial)
		model_fail("%u slabs on the list of %s on node %u, counted %u", nr, cache->kc_name,
			nid, node->kn_nr_partial);
	if (exact_limits && nr_empty > cache->kc_min_partial)
		model_fail("%u empty slabs on the list of %s, more than %u", nr_empty,
			cache->kc_name, cache->kc_min_partial);
	for (unsigned i = 0; i < world_nr_pool[nid]; i++) {
		const struct ghost *ghost = &now.page[nid][i];
		const struct page *page = &world_pages[nid][i];

		if (!listed[i] && is_partial(ghost) && page->pg_cache == cache &&
			(quiet || pair_inuse(ghost->pair.hi)))
			model_fail("%s has room and is on no list", page_name(page));
	}
}

void watch_unlock(void *lock)
{
	if (!watching)
		return;
	for (unsigned i = 0; i < WORLD_CACHES; i++)
		for (unsigned nid = 0; world_caches[i] && nid < world_nr_nodes; nid++)
			if (lock == &world_caches[i]->kc_node[nid]->kn_lock)
				check_list(world_caches[i], nid, false, false);
}

/* ---- objects ---- */

static void mark_out(const void *object, size_t size_bytes, bool out)
{
	uint64_t at = port_virt_to_phys(object);

	for (uint64_t end = at + size_bytes; at < end; at += GRANULE) {
		uint64_t mask, *word = granule_of(&now.out, port_phys_to_virt(at), &mask);

		if (!word)
			model_fail("object %p is no memory of the world", object);
		/* A word at a time where an object covers it. */
		if (!(at % (64 * GRANULE)) && end - at >= 64 * GRANULE) {
			mask = ~0ul;
			at += 63 * GRANULE;
		}
		if (out ? *word & mask : ~*word & mask)
			model_fail("object %p is %s", object,
				out ? "given out while it is out" : "freed and was not out");
		*word ^= mask;
	}
}

void watch_took(struct kmem_cache *cache, const void *object, size_t size_bytes)
{
	struct page *page = world_page_of(object);
	uint64_t word = page ? page->pg_word : 0;

	if (!page || page_kind(word) != PAGE_SLAB)
		model_fail("object %p of %s is in no slab", object, cache->kc_name);
	page = word & PAGE_TAIL ? page->pg_head : page;
	if (page->pg_cache != cache)
		model_fail("object %p is of %s, not of %s", object, page->pg_cache->kc_name,
			cache->kc_name);
	if (((const char *)object - world_page_address(page)) % cache->kc_stride)
		model_fail("object %p of %s is not where one begins", object, cache->kc_name);
	mark_out(object, size_bytes, true);
}

void watch_gives(struct kmem_cache *cache, const void *object, size_t size_bytes)
{
	(void)cache;
	mark_out(object, size_bytes, false);
}

void watch_hold_pages(struct page *page, unsigned order, bool held)
{
	unsigned nid, index;

	if (!world_find_page(page, &nid, &index))
		model_fail("%p is no page of the world", (void *)page);
	for (unsigned i = 0; i < 1u << order; i++) {
		if (now.held[nid][index + i] == held)
			model_fail("%s is given out twice or freed twice", page_name(page + i));
		now.held[nid][index + i] = held;
	}
	mark_out(world_page_address(page), PAGE_SIZE << order, held);
}

/* ---- all is quiet ---- */

enum seen { SEEN_NOT, SEEN_FREE, SEEN_SLAB };

static void see(enum seen seen[WORLD_PAGES], unsigned nid, const struct page *page, unsigned nr,
	enum seen as)
{
	unsigned at_node, index;

	if (!world_find_page(page, &at_node, &index) || at_node != nid || index + nr > WORLD_PAGES)
		model_fail("%p is no page of node %u", (const void *)page, nid);
	for (unsigned i = 0; i < nr; i++) {
		if (seen[index + i] || now.held[nid][index + i])
			model_fail("%s is free and in use, or in two places", page_name(page + i));
		seen[index + i] = as;
	}
}

static unsigned see_free(enum seen seen[WORLD_PAGES], unsigned nid)
{
	unsigned nr = 0;

	for (unsigned id = 0; id < NR_ZONES; id++) {
		const struct zone *zone = &node_zones[nid][id];
		unsigned in_zone = 0;

		for (unsigned order = 0; order <= DOLMEN_MAX_ORDER; order++) {
			const struct list_head *head = &zone->zn_blocks[order], *pos;

			for (pos = head->next; pos != head; pos = pos->next) {
				const struct page *page = container_of(pos, struct page, pg_list);

				if (page_kind(page->pg_word) != PAGE_BUDDY ||
					page->pg_order != order)
					model_fail(
						"%s is in a list of free blocks", page_name(page));
				see(seen, nid, page, 1u << order, SEEN_FREE);
				in_zone += 1u << order;
			}
		}
		if (in_zone != zone->zn_free)
			model_fail("%u free pages on node %u, counted %lu", in_zone, nid,
				zone->zn_free);
		nr += in_zone;
	}
	for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++) {
		const struct page *page;
		unsigned order;

		for (unsigned n = 0; (page = watch_cached_block(cpu, nid, n, &order)); n++) {
			see(seen, nid, page, 1u << order, SEEN_FREE);
			nr += 1u << order;
		}
	}
	return nr;
}

unsigned watch_free_pages(unsigned nid)
{
	enum seen seen[WORLD_PAGES] = {SEEN_NOT};

	return see_free(seen, nid);
}

unsigned watch_free_objects(const struct kmem_cache *cache, int nid)
{
	unsigned nr = 0;

	for (unsigned at = 0; at < world_nr_nodes; at++)
		for (unsigned i = 0; i < world_nr_pool[at]; i++)
			if ((nid == NUMA_NO_NODE || (int)at == nid) &&
				pair_objects(now.page[at][i].pair.hi) &&
				world_pages[at][i].pg_cache == cache)
				nr += pair_free(now.page[at][i].pair.hi);
	return nr;
}

static int cache_index(const struct kmem_cache *cache)
{
	for (int i = 0; i < WORLD_CACHES; i++)
		if (world_caches[i] == cache && cache)
			return i;
	return -1;
}

/* In the window, or in its word while the window is elsewhere; never in both. */
static bool is_free(struct kmem_cache *cache, const struct page *page, unsigned index)
{
	unsigned window = index / WINDOW_OBJECTS, bit = index % WINDOW_OBJECTS;
	bool in_pair = window == pair_window(page->pg_pair.hi) && page->pg_pair.lo >> bit & 1;
	bool in_word = false;

	if (cache->kc_wide) {
		const char *base = world_page_address(page);

		in_word = ((const uint64_t *)(base + cache->kc_wide))[window] >> bit & 1;
	}
	if (in_pair && in_word)
		model_fail("object %u of %s is free twice", index, page_name(page));
	return in_pair || in_word;
}

/*
 * Free bits are as many as the counters say, and where no object is out or in a sheaf. The objects
 * of the cache of sheaves are out where a sheaf was found; `own`: those of the program's caches
 * where the program has them.
 */
static void check_objects(struct kmem_cache *cache, const struct page *page, bool own)
{
	unsigned objects = pair_objects(page->pg_pair.hi), free = 0;
	unsigned in_window = objects - pair_window(page->pg_pair.hi) * WINDOW_OBJECTS;

	if (in_window < WINDOW_OBJECTS && page->pg_pair.lo >> in_window)
		model_fail("%s has free bits past its objects", page_name(page));
	for (unsigned i = 0; i < objects; i++) {
		const char *object = world_page_address(page) + (size_t)i * cache->kc_stride;
		bool counts = is_free(cache, page, i), kept = watch_in_sheaf(object);
		bool out = own && is_out(object);

		free += counts;
		if ((own || world_is_of_sheaves(cache)) && counts + kept + out != 1)
			model_fail("object %u of %s (%s) is%s%s%s%s", i, page_name(page),
				cache->kc_name, counts ? " free" : "", kept ? " in a sheaf" : "",
				out ? " out" : "", counts + kept + out ? "" : " lost");
	}
	if (free + pair_inuse(page->pg_pair.hi) != objects)
		model_fail("%s (%s): %u free bits, %u of %u objects in use", page_name(page),
			cache->kc_name, free, pair_inuse(page->pg_pair.hi), objects);
}

static void check_slot_use(struct kmem_cache *cache, const struct page *page, bool frozen)
{
	unsigned nr = 0;

	for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++) {
		const struct kmem_cache_cpu *c = world_cpu_part(cache, cpu);

		for (unsigned i = 0; i < CPU_SLABS_MAX; i++)
			nr += c->cc_slab[i] == page;
	}
	if (nr != frozen)
		model_fail("%s (%s) is %sfrozen and in %u slots", page_name(page), cache->kc_name,
			frozen ? "" : "not ", nr);
}

struct totals {
	uint64_t slabs, objects;
};

static void check_slab(enum seen seen[WORLD_PAGES], unsigned nid, struct page *page,
	struct totals totals[WORLD_CACHES])
{
	struct kmem_cache *cache = page->pg_cache;
	int index = cache_index(cache);
	uint64_t word = page->pg_word;

	if (index < 0)
		model_fail("%s is a slab of no cache", page_name(page));
	if (page->pg_pair.hi != ghost_of(page)->pair.hi ||
		page->pg_pair.lo != ghost_of(page)->pair.lo)
		model_fail("the pair of %s was changed behind the watch", page_name(page));
	if (!pair_objects(page->pg_pair.hi))
		model_fail("%s is a slab without objects", page_name(page));
	if (page_node(word) != nid || word >> PAGE_PERCPU_SHIFT != cache->kc_cpu_offset)
		model_fail("the first word of %s is wrong: %lx", page_name(page), word);
	if (page->pg_order != cache->kc_best.order && page->pg_order != cache->kc_min.order)
		model_fail("%s has order %u", page_name(page), page->pg_order);
	if (!(word & PAGE_ODD_ORDER) != (page->pg_order == cache->kc_best.order))
		model_fail(
			"%s has order %u and the word %lx", page_name(page), page->pg_order, word);
	see(seen, nid, page, 1u << page->pg_order, SEEN_SLAB);
	for (unsigned i = 1; i < 1u << page->pg_order; i++)
		if (page[i].pg_word != (word | PAGE_TAIL) || page[i].pg_head != page)
			model_fail("tail %u of %s is not one", i, page_name(page));
	check_slot_use(cache, page, page->pg_pair.hi & SLAB_FROZEN);
	check_objects(cache, page, index < NR_WORLD_CACHES || index >= CACHE_FIRST_MADE);
	totals[index].slabs++;
	totals[index].objects += pair_objects(page->pg_pair.hi);
}

static void check_slots(struct kmem_cache *cache, bool exact_limits)
{
	for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++) {
		const struct kmem_cache_cpu *c = world_cpu_part(cache, cpu);

		if (c->cc_nr > CPU_SLABS_MAX || (exact_limits && c->cc_nr > cache->kc_cpu_slabs))
			model_fail("CPU %u has %u slabs of %s", cpu, c->cc_nr, cache->kc_name);
		for (unsigned i = 0; i < CPU_SLABS_MAX; i++) {
			struct page *page = c->cc_slab[i];

			if (!page != (i >= c->cc_nr))
				model_fail("slot %u of CPU %u and %s, and %u slots in use", i, cpu,
					cache->kc_name, c->cc_nr);
			if (page &&
				(page_kind(page->pg_word) != PAGE_SLAB || page->pg_cache != cache))
				model_fail("%s in a slot of %s is none of its slabs",
					page_name(page), cache->kc_name);
		}
		const struct page *first = c->cc_slab[0];

		if (first && c->cc_base != world_page_address(first) +
						   (size_t)pair_window(first->pg_pair.hi) *
							   WINDOW_OBJECTS * cache->kc_stride)
			model_fail("the base of CPU %u and %s is not its window's", cpu,
				cache->kc_name);
	}
}

void watch_check_all(bool exact_limits)
{
	if (model_locks_held())
		model_fail("%u locks are held and nobody is in a call", model_locks_held());
	watch_find_sheaves(exact_limits);
	for (unsigned nid = 0; nid < world_nr_nodes; nid++) {
		enum seen seen[WORLD_PAGES] = {SEEN_NOT};
		struct totals totals[WORLD_CACHES] = {{0, 0}};

		see_free(seen, nid);
		for (unsigned i = 0; i < world_nr_pool[nid]; i++) {
			struct page *page = &world_pages[nid][i];

			if (page_kind(page->pg_word) == PAGE_SLAB && !(page->pg_word & PAGE_TAIL))
				check_slab(seen, nid, page, totals);
			else if (pair_objects(page->pg_pair.hi))
				model_fail("%s is no slab and its pair says so", page_name(page));
		}
		for (unsigned i = 0; i < world_nr_pool[nid]; i++)
			if (!seen[i] && !now.held[nid][i] && world_is_pool(&world_pages[nid][i]))
				model_fail("%s is lost", page_name(&world_pages[nid][i]));
		for (unsigned i = 0; i < WORLD_CACHES; i++) {
			struct kmem_cache *cache = world_caches[i];

			if (!cache)
				continue;
			check_list(cache, nid, true, exact_limits);
			if (cache->kc_node[nid]->kn_slabs != totals[i].slabs ||
				cache->kc_node[nid]->kn_objects != totals[i].objects)
				model_fail("%s on node %u: %lu slabs, counted %lu; %lu objects, "
					   "counted %lu",
					cache->kc_name, nid, totals[i].slabs,
					cache->kc_node[nid]->kn_slabs, totals[i].objects,
					cache->kc_node[nid]->kn_objects);
		}
	}
	for (unsigned i = 0; i < WORLD_CACHES; i++)
		if (world_caches[i])
			check_slots(world_caches[i], exact_limits);
}

/* ---- start ---- */

void watch_init(void)
{
	for (unsigned nid = 0; nid < world_nr_nodes; nid++)
		for (unsigned i = 0; i < WORLD_PAGES; i++)
			at_boot[nid][i].pair = world_pages[nid][i].pg_pair;
	for (unsigned i = 0; i < WORLD_CACHES; i++) {
		for (unsigned cpu = 0; world_caches[i] && cpu < MODEL_CPUS; cpu++) {
			struct kmem_cache_cpu *c = world_cpu_part(world_caches[i], cpu);
			unsigned nid, index;

			for (unsigned slot = 0; slot < c->cc_nr; slot++) {
				if (!world_find_page(c->cc_slab[slot], &nid, &index))
					continue;
				at_boot[nid][index].owner = &slots_owner[cpu];
				at_boot[nid][index].slots = &c->cc_lock;
			}
		}
	}
}

void watch_begin(unsigned generation_bits, bool exact, bool are_wrong)
{
	memcpy(now.page, at_boot, sizeof(at_boot));
	memset(&now.out, 0, sizeof(now.out));
	memset(now.held, 0, sizeof(now.held));
	generation_mask = generation_bits >= 32 ? ~0ul : (SLAB_GENERATION << generation_bits) - 1;
	exact_frees = exact;
	wrong_frees = are_wrong;
	watching = true;
}
