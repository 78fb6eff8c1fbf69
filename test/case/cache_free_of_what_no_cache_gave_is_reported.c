#include <dolmen/page.h>
#include "test/slab_tools.h"

static void refuse(struct kmem_cache *cache, void *object, const char *what)
{
	test_log_clear();
	kmem_cache_free(cache, object);
	CHECK(test_log_has("foreign"), "%s is not reported", what);
}

CONTRACT("a page, a large block or a stranger's memory freed to a cache is reported and left alone",
	"kmem_cache_free takes every page for one of a slab")
{
	static char stranger[64];
	struct kmem_cache *cache = kmem_cache_create("given", 64, 0, 0, NULL);
	char *page = __get_free_pages(GFP_KERNEL, 0), *large = kmalloc(20000, GFP_KERNEL);

	refuse(cache, page, "a page");
	refuse(cache, large, "a large block");
	refuse(cache, large + PAGE_SIZE, "a large block's second page");
	refuse(cache, stranger, "memory of the program");
	CHECK(ksize(large) >= 20000, "the block is gone");
	test_log_clear();
	kmem_cache_free(cache, NULL);
	CHECK(!test_log_has("free of"), "NULL is reported");
	kfree(large);
	free_pages(page, 0);
	destroy_empty(cache);
}
