#include <dolmen/slab.h>
#include "lib/printf.h"
#include "test/contract.h"

#define NR_OBJECTS 100

CONTRACT("of many live objects the first are listed, and all are counted",
	"list_live_objects stops at the last that it lists")
{
	struct kmem_cache *cache = kmem_cache_create("crowded", 8, 0, 0, NULL);
	void *objects[NR_OBJECTS];
	unsigned nr_listed = 0;
	char address[24];

	for (unsigned i = 0; i < NR_OBJECTS; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	test_log_clear();
	CHECK(!kmem_cache_destroy(cache), "destroyed");
	for (unsigned i = 0; i < NR_OBJECTS; i++) {
		format_text(address, sizeof(address), "%p is", objects[i]);
		nr_listed += test_log_has(address);
	}
	CHECK(nr_listed && nr_listed < NR_OBJECTS, "%u are listed", nr_listed);
	CHECK(test_log_has("100 objects in use"), "they are not counted");
	for (unsigned i = 1; i < NR_OBJECTS; i++)
		kmem_cache_free(cache, objects[i]);
	CHECK(!kmem_cache_destroy(cache) && test_log_has("1 object in use"),
		"the last is not told");
	kmem_cache_free(cache, objects[0]);
	CHECK(kmem_cache_destroy(cache), "not destroyed");
}
