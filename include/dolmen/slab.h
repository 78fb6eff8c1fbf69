/*
 * Slab caches and kmalloc. Names and meaning follow Linux's <linux/slab.h>; where we differ, the
 * declaration says so.
 *
 * Contexts: every allocation and free works anywhere but in an NMI, with interrupts on or off, in
 * an interrupt handler that landed in the middle of any call here too. create, destroy and shrink
 * want interrupts on.
 */
#ifndef DOLMEN_SLAB_H
#define DOLMEN_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dolmen/gfp.h>
#include <dolmen/limits.h>
#include <dolmen/names.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kmem_cache;

#define SLAB_HWCACHE_ALIGN 0x01u /* objects start on a cache line */
#define SLAB_PANIC	   0x02u /* port_panic() when the cache cannot be made */
#define SLAB_CACHE_DMA32   0x04u /* objects below 4 GiB */
#define SLAB_CONSISTENCY_CHECKS                                                                    \
	0x08u /* exact: no sheaves, each wrong free is found at the free itself */

/*
 * A cache of objects of `size_bytes` (1 .. 4 MiB), aligned to `align_bytes` (a power of two, 0: 8
 * for sizes below 16, else 16; may exceed the size and the page). `ctor`, if not NULL, runs once
 * for each object when its slab is made; objects come back from free in the state they had. `name`
 * must outlive the cache. NULL if out of memory or an argument is wrong.
 */
struct kmem_cache *kmem_cache_create(const char *name, size_t size_bytes, size_t align_bytes,
	unsigned flags, void (*ctor)(void *object));

/*
 * False, with a list of the live objects, while any object is out: the cache stays usable. NULL:
 * true.
 */
bool kmem_cache_destroy(struct kmem_cache *cache);

/* Gives back every empty slab, those held by CPUs too. Pages returned. */
size_t kmem_cache_shrink(struct kmem_cache *cache);

/* The bytes that it was created for. */
size_t kmem_cache_size(const struct kmem_cache *cache);

/*
 * An object, from this CPU's memory node or from node `nid` (NUMA_NO_NODE: the same), and if that
 * one is out of memory from others by distance, unless `gfp` has __GFP_THISNODE. NULL when memory
 * is short.
 */
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp);
void *kmem_cache_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid);

/* NULL is ignored. An object of another cache is reported and left alone. */
void kmem_cache_free(struct kmem_cache *cache, void *object);

/*
 * `nr` objects at once: true: all are in `objects`; false: memory ran out, none is held, and what
 * is in `objects` means nothing. `nr` 0: true. Where Linux returns their number or 0, this returns
 * bool, and interrupts may be off.
 */
bool kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t gfp, size_t nr, void **objects);

/*
 * As kmem_cache_free() of each; `cache` NULL: as kfree() of each, objects of any caches and whole
 * pages. A wrong pointer is reported, the others are freed.
 */
void kmem_cache_free_bulk(struct kmem_cache *cache, size_t nr, void **objects);

/*
 * Objects set aside for code that must not fail. A sheaf is its caller's own: one who calls at a
 * time. It has `size` objects when it is prefilled, and at the least so many when it is refilled;
 * `size` may be any number. NULL, or not 0 (Linux: -ENOMEM): memory is short, and the sheaf is as
 * it was. A refill may move it. To return it frees what is left in it; `gfp` is Linux's.
 */
struct slab_sheaf;
struct slab_sheaf *kmem_cache_prefill_sheaf(struct kmem_cache *cache, gfp_t gfp, unsigned size);
int kmem_cache_refill_sheaf(
	struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf **sheaf, unsigned size);
void kmem_cache_return_sheaf(struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf *sheaf);

/* NULL when nothing is left, never before. Of `gfp` only __GFP_ZERO counts. No lock. */
void *kmem_cache_alloc_from_sheaf(struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf *sheaf);

/* How many objects it has. */
unsigned kmem_cache_sheaf_size(const struct slab_sheaf *sheaf);

/*
 * The result of a request for 0 bytes: freeable, one value for all, faults on use (page 0 is not
 * mapped).
 */
#define ZERO_SIZE_PTR	      ((void *)16)
#define ZERO_OR_NULL_PTR(ptr) ((uintptr_t)(ptr) <= (uintptr_t)ZERO_SIZE_PTR)

#define KMALLOC_MAX_CACHE_SIZE 16384ul			       /* larger ones are whole pages */
#define KMALLOC_MAX_SIZE       (PAGE_SIZE << DOLMEN_MAX_ORDER) /* above: NULL */
#define NR_KMALLOC_CLASSES     34

/* By class; the second of each is for GFP_DMA32. */
extern struct kmem_cache *kmalloc_caches[NR_KMALLOC_CLASSES][2];

/*
 * The class of a size from 1 to KMALLOC_MAX_CACHE_SIZE: 8, 16, then every 16 to 128, then four per
 * doubling to 8192, then 16384. 130 bytes: 160, class 9. Folds to a constant when the size is one.
 */
static inline unsigned kmalloc_class(size_t size_bytes)
{
	if (size_bytes <= 8)
		return 0;
	if (size_bytes <= 32)
		return size_bytes <= 16 ? 1 : 2;
	if (size_bytes <= 128)
		return (unsigned)((size_bytes + 15) / 16);
	if (size_bytes > 8192)
		return NR_KMALLOC_CLASSES - 1;
	unsigned top = 63 - (unsigned)__builtin_clzl(size_bytes - 1); /* 7 for 129..256 */
	return 9 + (top - 7) * 4 + (unsigned)((size_bytes - 1) >> (top - 2) & 3);
}

/* kmalloc() of any size, not inlined: for bindings of other languages. */
void *kmalloc_var(size_t size_bytes, gfp_t gfp);

/*
 * At least `size_bytes`, 16-byte aligned from 16 bytes up, powers of two aligned to themselves;
 * NULL when memory or size_t runs out. 0: ZERO_SIZE_PTR. A constant size picks its cache at compile
 * time.
 */
static inline __attribute__((always_inline)) void *kmalloc(size_t size_bytes, gfp_t gfp)
{
	if (__builtin_constant_p(size_bytes) && size_bytes && size_bytes <= KMALLOC_MAX_CACHE_SIZE)
		return kmem_cache_alloc(
			kmalloc_caches[kmalloc_class(size_bytes)][!!(gfp & GFP_DMA32)], gfp);
	return kmalloc_var(size_bytes, gfp);
}

/* All of what ksize() says. A small constant size is zeroed in place. */
static inline __attribute__((always_inline)) void *kzalloc(size_t size_bytes, gfp_t gfp)
{
	if (!__builtin_constant_p(size_bytes) || !size_bytes || size_bytes > 128)
		return kmalloc(size_bytes, gfp | __GFP_ZERO);
	void *object = kmalloc(size_bytes, gfp);

	if (__builtin_expect(object != NULL, 1))
		__builtin_memset(__builtin_assume_aligned(object, 8), 0,
			size_bytes <= 8 ? 8 : (size_bytes + 15) / 16 * 16);
	return object;
}

/* As kmalloc(), of a node as kmem_cache_alloc_node(). */
void *kmalloc_node(size_t size_bytes, gfp_t gfp, int nid);

/* `align_bytes` any power of two; a request that cannot be met is NULL. Freed by kfree. */
void *kmalloc_aligned(size_t size_bytes, size_t align_bytes, gfp_t gfp);

/* nr * size_bytes with an overflow giving NULL; kcalloc zeroes. */
void *kmalloc_array(size_t nr, size_t size_bytes, gfp_t gfp);
void *kcalloc(size_t nr, size_t size_bytes, gfp_t gfp);

/*
 * min(old, new) bytes kept; NULL leaves the old block as it was. NULL pointer: kmalloc; size 0:
 * kfree, ZERO_SIZE_PTR.
 */
void *krealloc(void *object, size_t size_bytes, gfp_t gfp);

/*
 * NULL and ZERO_SIZE_PTR are ignored. What is no object's page is reported and left alone at once;
 * an address inside an object, or an object that is free already, when it reaches its slab, which
 * may be after it was handed out again. In an exact cache, or after dolmen_exact(true), all are
 * reported at once and change nothing.
 */
void kfree(const void *object);

/* kfree() of each, as kmem_cache_free_bulk() of no cache. */
static inline void kfree_bulk(size_t nr, void **objects)
{
	kmem_cache_free_bulk(NULL, nr, objects);
}

/* Zeroes all ksize() bytes first. */
void kfree_sensitive(const void *object);

/*
 * Bytes usable behind a live object; 0 for NULL, ZERO_SIZE_PTR, what is free in its slab or not
 * ours. Of an object that is free in a sheaf: as if it were live.
 */
size_t ksize(const void *object);

/* What ksize() would say of kmalloc(size_bytes); the size itself when it cannot be met. */
size_t kmalloc_size_roundup(size_t size_bytes);

/* Copies, for kfree(). Of a NULL string: NULL. */
char *kstrdup(const char *string, gfp_t gfp);
void *kmemdup(const void *src, size_t size_bytes, gfp_t gfp);

#ifdef __cplusplus
}
#endif

#endif
