#include <dolmen/slab.h>
#include "mm/check.h"
#include "test/contract.h"

CONTRACT("an object freed to a cache that is not its own is reported and stays in use",
	"kmem_cache_free trusts the cache it is given")
{
	struct kmem_cache *own = kmem_cache_create("own", 96, 0, 0, NULL);
	struct kmem_cache *other = kmem_cache_create("other", 96, 0, 0, NULL);
	void *object = kmem_cache_alloc(own, GFP_KERNEL);
	uint64_t reports = check_reports();

	test_log_clear();
	kmem_cache_free(other, object);
	CHECK(check_reports() == reports + 1 && test_log_has("own") && test_log_has("other"),
		"not reported with both names");
	void *second = kmem_cache_alloc(own, GFP_KERNEL);
	CHECK(second != object, "the object was freed");
	kmem_cache_free(own, second);
	kmem_cache_free(own, object);
	CHECK(kmem_cache_destroy(own) && kmem_cache_destroy(other), "objects left");
}
