#include <dolmen/slab.h>
#include "lib/printf.h"
#include "test/contract.h"

CONTRACT("a cache with live objects is not destroyed: they are listed, and it stays usable",
	"kmem_cache_destroy does not count slabs")
{
	struct kmem_cache *cache = kmem_cache_create("lively", 200, 0, 0, NULL);
	void *objects[40];
	char address[24];

	for (unsigned i = 0; i < 40; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	for (unsigned i = 1; i < 40; i++)
		kmem_cache_free(cache, objects[i]);
	test_log_clear();
	CHECK(!kmem_cache_destroy(cache), "destroyed");
	format_text(address, sizeof(address), "%p", objects[0]);
	CHECK(test_log_has(address), "object %s is not listed", address);
	objects[1] = kmem_cache_alloc(cache, GFP_KERNEL);
	CHECK(objects[1] && objects[1] != objects[0], "not usable any more");
	kmem_cache_free(cache, objects[0]);
	kmem_cache_free(cache, objects[1]);
	CHECK(kmem_cache_destroy(cache), "objects left");
}
