#include "test/embed/unikernel/uk_alloc.h"

#include <dolmen/gfp.h>
#include <dolmen/init.h>
#include <dolmen/numa.h>
#include <dolmen/page.h>
#include <dolmen/port.h>
#include <dolmen/slab.h>

static void *uk_malloc(struct uk_alloc *a, size_t size_bytes)
{
	(void)a;
	return kmalloc(size_bytes, GFP_KERNEL);
}

static void *uk_calloc(struct uk_alloc *a, size_t nr, size_t size_bytes)
{
	(void)a;
	return kcalloc(nr, size_bytes, GFP_KERNEL);
}

static void *uk_realloc(struct uk_alloc *a, void *ptr, size_t size_bytes)
{
	(void)a;
	return krealloc(ptr, size_bytes, GFP_KERNEL);
}

static void *uk_memalign(struct uk_alloc *a, size_t align_bytes, size_t size_bytes)
{
	(void)a;
	return kmalloc_aligned(size_bytes, align_bytes, GFP_KERNEL);
}

static int uk_posix_memalign(struct uk_alloc *a, void **ptr, size_t align_bytes, size_t size_bytes)
{
	void *block;

	if (align_bytes < sizeof(void *) || align_bytes & (align_bytes - 1))
		return UK_EINVAL;
	block = uk_memalign(a, align_bytes, size_bytes);
	if (!block)
		return UK_ENOMEM;
	*ptr = block;
	return 0;
}

static void uk_free(struct uk_alloc *a, void *ptr)
{
	(void)a;
	kfree(ptr);
}

static void *uk_palloc(struct uk_alloc *a, size_t nr_pages)
{
	(void)a;
	return nr_pages > 1ul << DOLMEN_MAX_ORDER
		       ? NULL
		       : alloc_pages_exact(nr_pages << PAGE_SHIFT, GFP_KERNEL);
}

static void uk_pfree(struct uk_alloc *a, void *ptr, size_t nr_pages)
{
	(void)a;
	free_pages_exact(ptr, nr_pages << PAGE_SHIFT);
}

static int uk_addmem(struct uk_alloc *a, void *base, size_t size_bytes)
{
	(void)a;
	return dolmen_add_range(port_virt_to_phys(base), size_bytes, NUMA_NO_NODE) ? 0 : UK_ENOMEM;
}

static size_t uk_maxalloc(struct uk_alloc *a)
{
	(void)a;
	return KMALLOC_MAX_SIZE;
}

static size_t uk_availmem(struct uk_alloc *a)
{
	struct dolmen_memory memory;

	(void)a;
	dolmen_memory(&memory);
	return memory.free << PAGE_SHIFT;
}

struct uk_alloc *uk_alloc_dolmen(void)
{
	static struct uk_alloc dolmen = {
		.malloc = uk_malloc,
		.calloc = uk_calloc,
		.realloc = uk_realloc,
		.posix_memalign = uk_posix_memalign,
		.memalign = uk_memalign,
		.free = uk_free,
		.palloc = uk_palloc,
		.pfree = uk_pfree,
		.addmem = uk_addmem,
		.maxalloc = uk_maxalloc,
		.availmem = uk_availmem,
	};

	return &dolmen;
}
