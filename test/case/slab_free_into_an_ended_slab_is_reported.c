/* A free that saw its slab alive, and is overtaken by the slab's end: the object had been freed
 * twice. */
#include "mm/check.h"
#include "test/slab_tools.h"

EXACT_CONTRACT("a free that is overtaken by the end of its slab is reported and changes nothing",
	"exchange_free does not ask whether the slab still has a cache")
{
	struct kmem_cache *cache = kmem_cache_create("ended", 64, 0, 0, NULL);
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);
	struct page *page = slab_of(object);

	kmem_cache_free(cache, object);
	kmem_cache_shrink(cache);
	CHECK(port_load(&page->pg_cache) != cache, "the slab did not end");
	struct port_pair before = slab_pair(page);
	uint64_t reports = check_reports();
	test_log_clear();
	partial_free_slow(cache, page, 0, NULL);
	CHECK(test_log_has("foreign pointer"), "not told as foreign");
	partial_free_slow(port_load(&page->pg_cache), page, 0, NULL);
	struct port_pair after = slab_pair(page);
	CHECK(check_reports() == reports + 2, "%lu reports", check_reports() - reports);
	CHECK(before.lo == after.lo && before.hi == after.hi, "the pair changed");
	destroy_empty(cache);
}
