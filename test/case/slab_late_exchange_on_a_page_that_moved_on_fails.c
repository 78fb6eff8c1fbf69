#include <dolmen/slab.h>
#include "mm/slab.h"
#include "test/contract.h"

EXACT_CONTRACT("an exchange that was prepared in an earlier life of a slab's page fails",
	"slab_discard or slab_new does not raise the generation")
{
	struct kmem_cache *cache = kmem_cache_create("lives", 64, 0, 0, NULL);
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);
	struct page *page = addr_to_page(object);

	/* What a free of this object would expect, seen before it is freed and its slab ends. */
	struct port_pair late = slab_pair(page);
	struct port_pair wanted = {late.lo | 1, late.hi - SLAB_INUSE_ONE};
	kmem_cache_free(cache, object);
	kmem_cache_shrink(cache);
	void *again = kmem_cache_alloc(cache, GFP_KERNEL);
	struct port_pair before = slab_pair(page);
	CHECK(!cmpxchg_double_slab(page, late, wanted), "the late exchange succeeded");
	struct port_pair after = slab_pair(page);
	CHECK(before.lo == after.lo && before.hi == after.hi, "the pair changed");
	kmem_cache_free(cache, again);
	CHECK(kmem_cache_destroy(cache), "objects left");
}
