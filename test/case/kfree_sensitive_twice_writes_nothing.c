/* A stale pointer that is wiped before anyone asks whether it is live destroys what a
 * constructor built, or another's data. */
#include "mm/check.h"
#include "test/slab_tools.h"

static void build(void *object)
{
	fill(object, 64, 4);
}

EXACT_CONTRACT(
	"ksize, krealloc and kfree_sensitive of an object that is free write nothing, and report "
	"it",
	"ksize does not look at the free bit")
{
	struct kmem_cache *cache = kmem_cache_create("built", 64, 0, 0, build);
	void *object = kmem_cache_alloc(cache, GFP_KERNEL),
	     *other = kmem_cache_alloc(cache, GFP_KERNEL);
	uint64_t reports = check_reports();

	kmem_cache_free(cache, object);
	CHECK(!ksize(object), "a free object has %zu bytes", ksize(object));
	kfree_sensitive(object);
	CHECK(check_reports() == reports + 1, "kfree_sensitive: %lu reports",
		check_reports() - reports);
	CHECK(!krealloc(object, 1000, GFP_KERNEL), "krealloc made something of a free object");
	CHECK(check_reports() == reports + 2, "krealloc: %lu reports", check_reports() - reports);
	kfree_sensitive((char *)other + 8);
	CHECK(filled(other, 64, 4), "a live object was wiped through a pointer into it");
	CHECK(kmem_cache_alloc(cache, GFP_KERNEL) == object && filled(object, 64, 4),
		"the free object was wiped");
	kmem_cache_free(cache, object);
	kmem_cache_free(cache, other);
	destroy_empty(cache);
}
