#include <dolmen/slab.h>
#include "mm/slab.h"
#include "test/contract.h"

EXACT_CONTRACT("an operation on one slab completes while another slab's lock bit is held",
	"one lock for all pages in page-lock mode")
{
	struct kmem_cache *first = kmem_cache_create("held", 64, 0, 0, NULL);
	struct kmem_cache *second = kmem_cache_create("free", 64, 0, 0, NULL);
	void *held = kmem_cache_alloc(first, GFP_KERNEL);
	void *other = kmem_cache_alloc(second, GFP_KERNEL);
	struct page *page = addr_to_page(held);

	CHECK(!port_swap(&page->pg_lock, (uint8_t)1), "the lock bit was left set");
	kmem_cache_free(second, other);
	other = kmem_cache_alloc(second, GFP_KERNEL);
	CHECK(other, "NULL");
	kmem_cache_free(second, other);
	port_store_release(&page->pg_lock, (uint8_t)0);
	kmem_cache_free(first, held);
	CHECK(kmem_cache_destroy(first) && kmem_cache_destroy(second), "objects left");
}
