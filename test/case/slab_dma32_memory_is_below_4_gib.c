#include "test/slab_tools.h"

static bool is_low(const void *object, size_t bytes)
{
	return object && port_virt_to_phys(object) + bytes <= 1ul << 32;
}

EXACT_CONTRACT(
	"GFP_DMA32 and SLAB_CACHE_DMA32 give memory below 4 GiB, from whatever node is asked",
	"lay_out forgets kc_gfp, or kmalloc takes the usual cache")
{
	static const size_t sizes[] = {8, 64, 1000, 16384, 16385, 100000};
	struct page *any = alloc_pages(GFP_DMA32 | __GFP_NOWARN, 0);

	if (!any) {
		contract_skip("no memory below 4 GiB");
		return;
	}
	__free_pages(any, 0);
	struct kmem_cache *cache = kmem_cache_create("low", 200, 0, SLAB_CACHE_DMA32, NULL);

	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			void *object = kmalloc_node(sizes[i], GFP_KERNEL | GFP_DMA32, (int)nid);

			CHECK(is_low(object, sizes[i]), "%zu bytes of node %u at %p", sizes[i], nid,
				object);
			kfree(object);
		}
		void *object = kmem_cache_alloc_node(cache, GFP_KERNEL, (int)nid);
		CHECK(is_low(object, 200), "of the cache, node %u: %p", nid, object);
		kmem_cache_free(cache, object);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		void *variable = kmalloc_var(sizes[i], GFP_KERNEL | GFP_DMA32);
		void *aligned = kmalloc_aligned(sizes[i], 4096, GFP_KERNEL | GFP_DMA32);

		CHECK(is_low(variable, sizes[i]) && is_low(aligned, sizes[i]),
			"%zu bytes: %p and %p", sizes[i], variable, aligned);
		kfree(variable);
		kfree(aligned);
	}
	void *constant = kmalloc(300, GFP_KERNEL | GFP_DMA32);
	CHECK(is_low(constant, 300), "a constant size: %p", constant);
	kfree(constant);
	destroy_empty(cache);
}
