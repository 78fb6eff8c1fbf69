/*
 * Many objects in one call, and sheaves that callers own.
 *
 * Objects move by whole runs: out of a sheaf, a barn's sheaf, a slab, and back into them, as many
 * as one hold of the slow lock may move. One at a time is only what a run cannot begin with: an
 * object that needs a new slab, whose others the next run takes; and on the way back what is no
 * object of the cache, for a report, or of kmalloc's whole pages.
 *
 * Contexts: any but NMI, whatever the number. Locks: none held here.
 */
#include "mm/slab.h"

#define HOLD_MAX 64u /* objects that one hold of the slow lock moves, interrupts off */

static unsigned of_one_hold(size_t nr)
{
	return nr < HOLD_MAX ? (unsigned)nr : HOLD_MAX;
}

/* ---- allocation ---- */

/* True: all of an array are there, as they were freed. False: memory ran out, none is held. */
static bool take_all(struct kmem_cache *cache, gfp_t gfp, size_t nr, void **objects)
{
	size_t got = 0;

	gfp &= ~(gfp_t)__GFP_ZERO;
	while (got < nr) {
		unsigned run = sheaf_take(cache, objects + got, of_one_hold(nr - got));

		if (!run) {
			objects[got] = sheaf_alloc(cache, gfp);
			if (!objects[got]) {
				kmem_cache_free_bulk(cache, got, objects);
				return false;
			}
			run = 1;
		}
		got += run;
	}
	for (size_t i = 0; i < nr; i++)
		port_object_taken(objects[i], cache->kc_object_bytes);
	return true;
}

bool kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t gfp, size_t nr, void **objects)
{
	/* Zeroed last: what goes back for want of the others is as it was constructed. */
	if (!take_all(cache, gfp, nr, objects))
		return false;
	for (size_t i = 0; gfp & __GFP_ZERO && i < nr; i++)
		slab_zeroed(cache, objects[i], gfp);
	return true;
}

/* ---- free ---- */

/* Of the slab that a pointer is to; NULL: it is to none. */
static struct kmem_cache *cache_of(const void *object)
{
	uint64_t word;
	struct page *page = object_page(object, &word);

	return page_kind(word) == PAGE_SLAB ? port_load_acquire(&page->pg_cache) : NULL;
}

static bool is_of(const struct kmem_cache *cache, const void *object)
{
	return object_label(object) >> PAGE_PERCPU_SHIFT == cache->kc_cpu_offset;
}

/* Objects at the beginning of an array that are of the cache, as the first one is. */
static size_t run_length(const struct kmem_cache *cache, void **objects, size_t nr)
{
	size_t run = 1;

	while (run < nr && is_of(cache, objects[run]))
		run++;
	return run;
}

/*
 * Those that this CPU's sheaves have no room for, or are not for: the first object, for which room
 * is made; or, where that is not to be had, all that go with it. `cache`: as cache_of() says.
 */
static size_t free_slow(struct kmem_cache *cache, void **objects, size_t nr, const void *caller)
{
	uint64_t label = object_label(objects[0]);

	if (!cache) {
		kfree_slow(objects[0], caller);
		return 1;
	}
	if (!is_of(cache, objects[0])) {
		cache_free_slow(cache, objects[0], caller);
		return 1;
	}
	note_object_freed(objects[0], label);
	if (sheaf_put(cache, objects[0], page_node(label)))
		return 1;
	size_t run = run_length(cache, objects, nr);
	sheaf_flush(cache, objects, run, caller);
	return run;
}

void kmem_cache_free_bulk(struct kmem_cache *given, size_t nr, void **objects)
{
	const void *caller = __builtin_return_address(0);

	while (nr) {
		struct kmem_cache *cache = given ? given : cache_of(objects[0]);
		size_t run = cache ? sheaf_push_run(cache, objects, of_one_hold(nr)) : 0;

		if (!run)
			run = free_slow(cache, objects, nr, caller);
		objects += run;
		nr -= run;
	}
}

/* ---- sheaves that callers own: not their CPU's, and of whatever size and nodes ---- */

struct slab_sheaf {
	uint32_t count, max; /* objects, and room for so many */
	void *object[];
};

/* Objects behind those that it has, until it has `size`. False: it is as it was. */
static bool fill(struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf *sheaf, unsigned size)
{
	if (!take_all(cache, gfp, size - sheaf->count, sheaf->object + sheaf->count))
		return false;
	for (; sheaf->count < size; sheaf->count++)
		port_object_freed(sheaf->object[sheaf->count], cache->kc_object_bytes);
	return true;
}

static struct slab_sheaf *make_sheaf(
	struct kmem_cache *cache, gfp_t gfp, unsigned max, unsigned size)
{
	size_t bytes = sizeof(struct slab_sheaf) + (size_t)max * sizeof(void *);
	struct slab_sheaf *sheaf = kmalloc_var(bytes, gfp);

	if (!sheaf)
		return NULL;
	*sheaf = (struct slab_sheaf){.max = max};
	if (fill(cache, gfp, sheaf, size))
		return sheaf;
	kfree(sheaf);
	return NULL;
}

struct slab_sheaf *kmem_cache_prefill_sheaf(struct kmem_cache *cache, gfp_t gfp, unsigned size)
{
	return make_sheaf(cache, gfp, size, size);
}

int kmem_cache_refill_sheaf(
	struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf **sheaf, unsigned size)
{
	struct slab_sheaf *old = *sheaf;

	if (size <= old->max)
		return old->count >= size || fill(cache, gfp, old, size) ? 0 : -1;
	struct slab_sheaf *larger = make_sheaf(cache, gfp, size, size - old->count);
	if (!larger)
		return -1;
	memcpy(larger->object + larger->count, old->object, old->count * sizeof(void *));
	larger->count = size;
	kfree(old);
	*sheaf = larger;
	return 0;
}

void *kmem_cache_alloc_from_sheaf(struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf *sheaf)
{
	if (!sheaf->count)
		return NULL;
	void *object = sheaf->object[--sheaf->count];
	port_object_taken(object, cache->kc_object_bytes);
	return slab_zeroed(cache, object, gfp);
}

void kmem_cache_return_sheaf(struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf *sheaf)
{
	(void)gfp;
	kmem_cache_free_bulk(cache, sheaf->count, sheaf->object);
	kfree(sheaf);
}

unsigned kmem_cache_sheaf_size(const struct slab_sheaf *sheaf)
{
	return sheaf->count;
}
