#include <dolmen/init.h>
#include <dolmen/page.h>
#include "test/slab_tools.h"

static unsigned nr_given, nr_back, nr_odd;

static struct page *give(struct page_source *source, int nid, gfp_t gfp, unsigned order)
{
	struct page *page = alloc_pages_node(nid, gfp, order);

	(void)source;
	if (page) {
		/* Which order a slab is of is the slab's to say. */
		port_store(&page->pg_order, (uint8_t)PAGE_NOT_HEAD);
		nr_given += 1u << order;
	}
	return page;
}

static void take_back(struct page_source *source, struct page *page, unsigned order)
{
	(void)source;
	/* As given: a plain block again, not a slab any more. */
	nr_odd += page_kind(port_load(&page->pg_word)) != PAGE_USED ||
		  port_load(&page->pg_order) != order;
	nr_back += 1u << order;
	__free_pages(page, order);
}

EXACT_CONTRACT(
	"a cache takes its pages from its own source and gives each of them back there as it was",
	"slab_discard calls __free_pages")
{
	static struct page_source source = {.alloc = give, .free = take_back};
	static void *objects[200];
	struct kmem_cache *cache = kmem_cache_create("sourced", 1360, 0, 0, NULL);

	nr_given = nr_back = nr_odd = 0;
	cache->kc_source = &source;
	dolmen_fail_pages(3, 1); /* one slab of the smaller order among them */
	for (unsigned i = 0; i < 200; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	CHECK(stat_of(cache, ORDER_FALLBACK) == 1, "%lu fallbacks", stat_of(cache, ORDER_FALLBACK));
	free_some(cache, objects, 200);
	kmem_cache_shrink(cache);
	CHECK(nr_given && nr_given == nr_back, "%u pages given, %u came back", nr_given, nr_back);
	CHECK(!nr_odd, "%u blocks came back otherwise than they were given", nr_odd);
	destroy_empty(cache);
}
