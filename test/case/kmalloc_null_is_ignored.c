#include "mm/check.h"
#include "test/slab_tools.h"

CONTRACT("NULL is freed, destroyed and measured without a report",
	"kmem_cache_free, kfree_sensitive or kmem_cache_destroy does not look for NULL")
{
	uint64_t reports = check_reports();

	kfree(NULL);
	kfree_sensitive(NULL);
	kmem_cache_free(kmalloc_caches[3][0], NULL);
	CHECK(kmem_cache_destroy(NULL), "destroying nothing fails");
	CHECK(!ksize(NULL), "NULL has a size");
	CHECK(check_reports() == reports, "reported");
	void *object = krealloc(NULL, 100, GFP_KERNEL);
	CHECK(object && ksize(object) >= 100, "krealloc of NULL is not kmalloc");
	kfree(object);
}
