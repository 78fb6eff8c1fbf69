/* A pointer kept after its slab ended: the page is free, a plain block, a large block, or
 * another cache's slab by now. */
#include <dolmen/page.h>
#include "mm/check.h"
#include "mm/page_alloc.h"
#include "test/slab_tools.h"

static void expect_report(const void *stale, const char *what)
{
	uint64_t reports = check_reports(), free_pages_before = numa_free_pages(NUMA_NO_NODE);

	kfree(stale);
	CHECK(check_reports() == reports + 1, "%s: %lu reports", what, check_reports() - reports);
	CHECK(numa_free_pages(NUMA_NO_NODE) == free_pages_before, "%s: pages moved", what);
}

EXACT_CONTRACT("a free of a pointer whose slab has ended is reported, whatever its page is by now",
	"slab_discard leaves the pages labelled as a slab")
{
	struct kmem_cache *cache = kmem_cache_create("stale", 96, 0, 0, NULL);
	char *object = kmem_cache_alloc(cache, GFP_KERNEL);
	/* Not the first object of the page, so that it is the start of nothing else. */
	char *stale = kmem_cache_alloc(cache, GFP_KERNEL);

	kmem_cache_free(cache, object);
	kmem_cache_free(cache, stale);
	kmem_cache_shrink(cache);
	expect_report(stale, "page free");
	expect_report(object, "page free");
	/* The page that was freed last comes next. */
	char *page = __get_free_pages(GFP_KERNEL, 0);
	if (page == object) {
		fill(page, PAGE_SIZE, 3);
		expect_report(stale, "plain page");
		expect_report(page, "plain page, its start");
		CHECK(filled(page, PAGE_SIZE, 3), "the page changed");
	}
	free_pages(page, 0);
	struct kmem_cache *other = kmem_cache_create("other", 1024, 0, 0, NULL);
	char *owner = kmem_cache_alloc(other, GFP_KERNEL);
	if (addr_to_page(owner) == addr_to_page(stale)) {
		fill(owner, 1024, 5);
		expect_report(stale, "slab of another cache");
		uint64_t reports = check_reports();
		kmem_cache_free(cache, owner);
		CHECK(check_reports() == reports + 1, "to a cache that it is not of: not reported");
		CHECK(filled(owner, 1024, 5) && objects_in_use(other) == 1,
			"the new owner's object changed");
	}
	kmem_cache_free(other, owner);
	destroy_empty(other);
	destroy_empty(cache);
}
