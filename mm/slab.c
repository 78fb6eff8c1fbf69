/*
 * One slab: its states, its free set, its pair, its birth and its end.
 *
 * A slab is 2^order pages cut into equal objects. Between birth and end it is in one of three
 * states, told by its pair alone:
 *
 *	            slab_new                       unfreeze_full
 *	  (pages) ------------> FROZEN, on a CPU ---------------------------> FULL, on no list
 *	     ^                   |     ^    ^                                   |       |
 *	     |   partial_unfreeze|     |    +-----------------------------------+       |
 *	     |     (has room)    |     |          slab_free, own node                   | slab_free,
 *	     |                   v     | refill                                         | other node
 *	     +---------------- PARTIAL, on its node's list <----------------------------+
 *	       slab_discard (no object out, list long enough)
 *
 * Who may do what:
 *	take an object	of a frozen slab, whoever froze it: a CPU under its slow lock as a rule; of
 *			another, the holder of the list lock, who has taken it off the list
 *	free an object	anyone at any time: one compare-exchange, and no list if the slab is frozen
 *			or stays partial
 *	change a list	the holder of its lock. Under it: not frozen and not full <=> on the list
 *
 * Why two words change at once: a free must know, in the step that frees, whether the slab was
 * frozen (then its CPU will find the object) and whether it was full or is now empty (then the slab
 * must move). With the free set in one word and the counters in another, only a double-word
 * exchange tells all of that of the same moment. Without CMPXCHG16B the same exchange is made under
 * the page's own lock bit; nothing above this file can tell the difference.
 *
 * The free set is always a bitmap, one bit an object, 1 = free. The first word of the pair holds
 * the bits of 64 objects, the window. A slab of more, one page with its other bits in words at its
 * end, moves the window when it is used up:
 *
 *	take	from the window only, in the exchange. If it is empty, the taker (there is one at a
 *		time) moves the window to a word that has bits, and then the bits into the pair.
 *	free	of an object in the window: in the exchange. Of another: its bit is set in its word
 *		first, then the counters are exchanged. If that fails the bit is taken out again,
 *		or the window took it: then only the counters are left to do.
 *
 * So free bits = objects - inuse + frees under way; a taker that sees inuse < objects finds a bit,
 * and a slab whose inuse is 0 has nothing under way. "Is this object already free" is two ANDs,
 * nothing is written into a free object, and a constructed object stays constructed.
 *
 * ABA: within a slab's life a bitmap is its whole state, so an exchange that succeeds is right
 * whatever happened between. Across lives the generation, raised by every take and every discard,
 * makes a late exchange fail: the pair is never used for anything else, not even while the page is
 * free. Every retry looks again at the page's cache.
 *
 * Contexts: any but NMI. Locks: none taken but the page's own.
 */
#include "mm/slab.h"
#include "lib/memory.h"
#include "mm/page_alloc.h"

/* All are constant; the second after cache_init(). */
uint32_t slab_frozen_fast;
struct kmem_cache no_cache; /* of slabs that have ended; its CPUs' parts are only counted in */
struct slab_reports slab_reports;

/* ---- geometry ---- */

static size_t wide_bytes(size_t objects)
{
	return objects > WINDOW_OBJECTS ? (objects + 63) / 64 * sizeof(uint64_t) : 0;
}

struct slab_geometry slab_geometry(size_t stride_bytes, unsigned order)
{
	size_t bytes = PAGE_SIZE << order;
	size_t objects = bytes / stride_bytes;

	while (objects * stride_bytes + wide_bytes(objects) > bytes)
		objects--;
	if (objects > WINDOW_OBJECTS && order)
		objects = 0;
	return (struct slab_geometry){.order = order, .objects = (uint32_t)objects};
}

/*
 * The waste rule: the smallest order that meets the first line which any order meets. 640 bytes:
 * order 0 would waste 256 of 4096, 1/16; order 2 holds 25 and wastes 384 of 16384, 1/42, and is
 * taken. Objects above 64 KiB get what holds one.
 */
static const struct waste_rule {
	unsigned max_order, min_objects, divisor; /* waste at most 1/divisor of the slab */
} waste_rules[] = {
	{3, 8, 64},
	{3, 8, 32},
	{3, 4, 16},
	{3, 2, 16},
	{5, 1, 16},
};

static bool meets(const struct waste_rule *rule, size_t stride_bytes, struct slab_geometry geometry)
{
	size_t bytes = PAGE_SIZE << geometry.order;

	return geometry.objects >= rule->min_objects &&
	       (bytes - geometry.objects * stride_bytes) * rule->divisor <= bytes;
}

bool slab_choose_geometry(
	size_t stride_bytes, struct slab_geometry *best, struct slab_geometry *min)
{
	unsigned order = 0;

	while (order <= DOLMEN_MAX_ORDER && stride_bytes > PAGE_SIZE << order)
		order++;
	if (order > DOLMEN_MAX_ORDER)
		return false;
	*min = *best = slab_geometry(stride_bytes, order);
	for (size_t i = 0; i < sizeof(waste_rules) / sizeof(waste_rules[0]); i++) {
		for (order = min->order; order <= waste_rules[i].max_order; order++) {
			*best = slab_geometry(stride_bytes, order);
			if (meets(&waste_rules[i], stride_bytes, *best))
				return true;
		}
	}
	*best = *min;
	return true;
}

/* ---- the pair ---- */

/*
 * The exchange without the instruction: a lock bit in the page itself, interrupts off so that no
 * handler waits for it.
 */
bool cmpxchg_under_page_lock(struct page *page, struct port_pair old, struct port_pair new)
{
	unsigned long flags = port_irq_save();

	while (port_swap(&page->pg_lock, (uint8_t)1))
		port_relax();
	struct port_pair seen = {port_load(&page->pg_pair.lo), port_load(&page->pg_pair.hi)};
	bool same = seen.lo == old.lo && seen.hi == old.hi;
	if (same) {
		port_store(&page->pg_pair.lo, new.lo);
		port_store_release(&page->pg_pair.hi, new.hi);
	}
	port_store_release(&page->pg_lock, (uint8_t)0);
	port_irq_restore(flags);
	return same;
}

/* ---- objects ---- */

bool slab_object_free(struct kmem_cache *cache, struct page *page, unsigned index)
{
	struct port_pair pair = slab_pair_steady(page);
	unsigned window = index / WINDOW_OBJECTS, bit = index % WINDOW_OBJECTS;

	if (window == pair_window(pair.hi) && pair.lo >> bit & 1)
		return true;
	return cache->kc_wide && port_load(&slab_words(cache, page)[window]) >> bit & 1;
}

char *slab_window_base(struct kmem_cache *cache, struct page *page)
{
	unsigned window = pair_window(port_load(&page->pg_pair.hi));

	return slab_object(cache, page, window * WINDOW_OBJECTS);
}

/*
 * The window moves first, empty, and then gets its bits: so a free of one of its objects, which
 * looks at the pair before and after it sets a bit anywhere, never misses that the object's bit is
 * on its way. A second free that comes while it is finds no bit and sets one; the two meet here,
 * where the second is taken back and reported.
 */
static void load_window(
	struct kmem_cache *cache, struct page *page, uint64_t *word, unsigned window)
{
	struct port_pair old, new;

	do {
		old = slab_pair(page);
		if (old.lo)
			return; /* objects of the old window came back */
		new.lo = 0;
		new.hi = (old.hi & ~(SLAB_WINDOW_MASK << SLAB_WINDOW_SHIFT)) + SLAB_GENERATION;
		new.hi |= (uint64_t)window << SLAB_WINDOW_SHIFT;
	} while (!cmpxchg_double_slab(page, old, new));

	uint64_t bits = port_swap(word, (uint64_t)0), twice;
	do {
		old = slab_pair(page);
		twice = old.lo & bits;
		new.lo = old.lo | bits;
		new.hi = old.hi;
		for (uint64_t left = twice; left; left &= left - 1)
			new.hi += SLAB_INUSE_ONE;
	} while (!cmpxchg_double_slab(page, old, new));
	for (; twice; twice &= twice - 1) {
		unsigned index = window * WINDOW_OBJECTS + (unsigned)__builtin_ctzl(twice);

		slab_reports.wrong_free(
			FREE_TWICE, cache, NULL, slab_object(cache, page, index), NULL);
	}
}

void slab_move_window(struct kmem_cache *cache, struct page *page)
{
	uint64_t *words = slab_words(cache, page);

	for (unsigned i = 0; i * WINDOW_OBJECTS < cache->kc_best.objects; i++) {
		if (port_load_acquire(&words[i])) {
			load_window(cache, page, &words[i], i);
			slab_count(cache, ALLOC_REFILL);
			return;
		}
	}
	/* No word had a bit, so the one that inuse counts on is in the window by now. */
	if (!port_load(&page->pg_pair.lo))
		port_panic("slab: a free set was overwritten: fewer objects than are counted free");
}

unsigned slab_take_run(struct kmem_cache *cache, struct page *page, void **objects, unsigned max,
	uint64_t *counters)
{
	for (;;) {
		struct port_pair old = slab_pair(page), new = old;
		void **next = objects;

		if (!old.lo) {
			*counters = old.hi;
			if (pair_full(old.hi))
				return 0;
			if (cache->kc_wide)
				slab_move_window(cache, page);
			continue; /* or the two words were of different moments */
		}
		char *base = slab_object(cache, page, pair_window(old.hi) * WINDOW_OBJECTS);
		size_t stride = cache->kc_stride;
		do {
			unsigned index = (unsigned)__builtin_ctzl(new.lo);

			port_store(next++, (void *)(base + index * stride));
			new.lo &= new.lo - 1;
		} while (new.lo && next < objects + max);
		unsigned nr = (unsigned)(next - objects);
		new.hi += nr *SLAB_INUSE_ONE + SLAB_GENERATION;
		if (likely(cmpxchg_double_slab(page, old, new))) {
			*counters = new.hi;
			return nr;
		}
		slab_count(cache, CMPXCHG_DOUBLE_FAIL);
	}
}

void *slab_take(struct kmem_cache *cache, struct page *page)
{
	uint64_t counters;
	void *object;

	if (!slab_take_run(cache, page, &object, 1, &counters))
		return NULL;
	port_object_taken(object, cache->kc_object_bytes);
	return object;
}

/* ---- birth and end ---- */

static uint64_t next_generation(uint64_t counters)
{
	return (counters & ~(SLAB_GENERATION - 1)) + SLAB_GENERATION;
}

/* Nobody else owns the page, but a late exchange may still be tried: so this is one too. */
static void set_pair(struct page *page, struct port_pair new)
{
	while (!cmpxchg_double_slab(page, slab_pair(page), new))
		;
}

void label_pages(struct page *head, unsigned order, uint64_t label)
{
	uint64_t word = (port_load(&head->pg_word) & PAGE_HOME_MASK) | label;

	for (struct page *tail = head + (1u << order) - 1; tail > head; tail--) {
		port_store(&tail->pg_head, head);
		port_store_release(&tail->pg_word, word | PAGE_TAIL);
	}
	port_store_release(&head->pg_word, word);
}

void unlabel_pages(struct page *head, unsigned order)
{
	uint64_t word = (port_load(&head->pg_word) & PAGE_HOME_MASK) | PAGE_USED;

	for (struct page *page = head; page < head + (1u << order); page++)
		port_store_release(&page->pg_word, word);
}

static struct page *slab_pages(
	struct kmem_cache *cache, gfp_t gfp, int nid, struct slab_geometry *geometry)
{
	struct page_source *source = cache->kc_source;
	struct page *page;

	*geometry = cache->kc_best;
	if (geometry->order > cache->kc_min.order) {
		page = source->alloc(
			source, nid, gfp | __GFP_NOWARN | __GFP_NORETRY, geometry->order);
		if (page)
			return page;
		*geometry = cache->kc_min;
		slab_count(cache, ORDER_FALLBACK);
	}
	return source->alloc(source, nid, gfp, geometry->order);
}

/* Makes all objects free, the window at the first; the first word of the pair. */
static uint64_t fill_free_set(struct kmem_cache *cache, struct page *page, unsigned objects)
{
	if (!cache->kc_wide)
		return ~0ul >> (WINDOW_OBJECTS - objects);
	uint64_t *words = slab_words(cache, page);
	port_store(&words[0], (uint64_t)0);
	for (unsigned i = 1; i < objects / 64; i++)
		port_store(&words[i], ~0ul);
	if (objects % 64)
		port_store(&words[objects / 64], ~0ul >> (64 - objects % 64));
	return ~0ul;
}

struct page *slab_new(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	struct slab_geometry geometry;
	struct port_pair pair;
	gfp_t page_gfp = (gfp & ~(gfp_t)__GFP_ZERO) | cache->kc_gfp;
	struct page *page = slab_pages(cache, page_gfp, nid, &geometry);

	if (!page)
		return NULL;
	struct kmem_cache_node *node = cache->kc_node[page_node(port_load(&page->pg_word))];
	if (!node) { /* a node so small that its part of the cache could not be made */
		cache->kc_source->free(cache->kc_source, page, geometry.order);
		return NULL;
	}
	port_store(&page->pg_order, (uint8_t)geometry.order);
	pair.lo = fill_free_set(cache, page, geometry.objects);
	if (cache->kc_ctor)
		for (unsigned i = 0; i < geometry.objects; i++)
			cache->kc_ctor(slab_object(cache, page, i));
	port_object_freed(page_to_virt(page), (size_t)geometry.objects * cache->kc_stride);

	/* The generation goes on from the page's last life. */
	pair.hi = next_generation(port_load(&page->pg_pair.hi)) | SLAB_FROZEN |
		  (uint64_t)geometry.objects << SLAB_OBJECT_SHIFT;
	set_pair(page, pair);
	port_store_release(&page->pg_cache, cache);
	uint64_t odd = geometry.order == cache->kc_best.order ? 0 : PAGE_ODD_ORDER;
	label_pages(page, geometry.order,
		(uint64_t)cache->kc_cpu_offset << PAGE_PERCPU_SHIFT | PAGE_SLAB | odd);

	port_fetch_add(&node->kn_slabs, (uint64_t)1);
	port_fetch_add(&node->kn_objects, (uint64_t)geometry.objects);
	slab_count(cache, ALLOC_SLAB);
	return page;
}

void slab_discard(struct kmem_cache *cache, struct page *page)
{
	unsigned order = port_load(&page->pg_order);
	uint64_t counters = port_load(&page->pg_pair.hi);
	struct kmem_cache_node *node = cache->kc_node[page_node(port_load(&page->pg_word))];

	port_fetch_add(&node->kn_slabs, -(uint64_t)1);
	port_fetch_add(&node->kn_objects, -(uint64_t)pair_objects(counters));
	/*
	 * No cache, no object, a new generation: what still holds an old pair can change nothing.
	 */
	port_store_release(&page->pg_cache, &no_cache);
	set_pair(page, (struct port_pair){0, next_generation(counters)});
	unlabel_pages(page, order);
	port_object_taken(page_to_virt(page), PAGE_SIZE << order);
	slab_count(cache, FREE_SLAB);
	cache->kc_source->free(cache->kc_source, page, order);
}
