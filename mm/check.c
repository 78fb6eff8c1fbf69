/*
 * What is said when something is wrong: one line for a free that cannot be right, a list of what is
 * still out.
 *
 * By the time a report is made it has been decided that nothing is changed: reports only read. They
 * may come from any context and with the list lock of no node held.
 */
#include "mm/slab.h"
#include "mm/check.h"
#include "mm/log.h"

#define LIVE_OBJECTS_LISTED 16 /* lines; what follows is counted */

static uint64_t nr_reports;

uint64_t check_reports(void)
{
	return port_load(&nr_reports);
}

static const char *cache_name(const struct kmem_cache *cache)
{
	return cache ? cache->kc_name : "(none)";
}

/* The start of the object that an address lies in. */
static const void *enclosing(struct kmem_cache *cache, struct page *page, const void *object)
{
	size_t offset = (uintptr_t)object & ((PAGE_SIZE << port_load(&page->pg_order)) - 1);

	return (const char *)object - offset % cache->kc_stride;
}

static void report_wrong_free(enum wrong_free kind, struct kmem_cache *cache,
	struct kmem_cache *given, const void *object, const void *caller)
{
	uint64_t word;
	struct page *page = object_page(object, &word);

	port_fetch_add(&nr_reports, (uint64_t)1);
	if (cache == &no_cache) /* the slab has ended */
		kind = FREE_FOREIGN;
	switch (kind) {
	case FREE_FOREIGN:
		mm_report("slab: free of foreign pointer %p, not an object of ours, by %p: ignored",
			object, caller);
		break;
	case FREE_INTERIOR:
		if (cache)
			mm_report("slab: free of %p inside object %p of cache %s, by %p: ignored",
				object, enclosing(cache, page, object), cache_name(cache), caller);
		else
			mm_report("slab: free of %p inside large block %p, by %p: ignored", object,
				page_to_virt(page), caller);
		break;
	case FREE_TWICE:
		mm_report("slab: double free of object %p of cache %s, by %p: ignored", object,
			cache_name(cache), caller);
		break;
	case FREE_WRONG_CACHE:
		mm_report("slab: free of object %p of cache %s to cache %s, by %p: ignored", object,
			cache_name(cache), cache_name(given), caller);
		break;
	}
}

/* All pages are looked at: a slab that is full is on no list. */
static void list_live_objects(struct kmem_cache *cache)
{
	unsigned nr = 0;

	for (uint64_t section = 0; section < port_load(&nr_sections); section++) {
		for (uint64_t i = 0; i < 1ul << SECTION_PFN_SHIFT; i++) {
			struct page *page = pfn_to_page((section << SECTION_PFN_SHIFT) + i);

			if (!page)
				break;
			uint64_t word = port_load_acquire(&page->pg_word);
			if (page_kind(word) != PAGE_SLAB || word & PAGE_TAIL ||
				port_load(&page->pg_cache) != cache)
				continue;
			unsigned objects = pair_objects(slab_pair(page).hi);
			for (unsigned index = 0; index < objects; index++) {
				if (slab_object_free(cache, page, index))
					continue;
				if (nr++ < LIVE_OBJECTS_LISTED)
					mm_log("slab: cache %s: object %p is still in use",
						cache->kc_name,
						(char *)page_to_virt(page) +
							(size_t)index * cache->kc_stride);
			}
		}
	}
	mm_log("slab: cache %s not destroyed: %u object%s in use", cache->kc_name, nr,
		nr == 1 ? "" : "s");
}

void check_init(void)
{
	slab_reports.wrong_free = report_wrong_free;
	slab_reports.live_objects = list_live_objects;
}
