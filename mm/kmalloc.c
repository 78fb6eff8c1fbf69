/*
 * kmalloc: size classes over slab caches, whole pages above the largest class, and the calls made
 * of these.
 *
 * Classes: 8, 16, every 16 bytes to 128, then four per doubling to 8 KiB. Against one per doubling
 * this wastes at most a fifth of an object instead of half, and objects that are used together lie
 * closer. Between 8 and 16 KiB there is 16 KiB alone: slabs of others would need blocks of 128 KiB.
 *
 * A large block carries the bytes asked for in its head page; its tail pages point back to the
 * head, so that a pointer into its middle is told from its start.
 */
#include "mm/slab.h"
#include "lib/memory.h"
#include "lib/printf.h"
#include "mm/page_alloc.h"

struct kmem_cache *kmalloc_caches[NR_KMALLOC_CLASSES][2];

/* The kc_cpu_offset of the cache for a size, by (size - 1) / 8: all that the fast path needs. */
static uint16_t offset_of[KMALLOC_MAX_CACHE_SIZE / 8];

_Static_assert(DOLMEN_PERCPU_BYTES <= 1ul << 16, "an offset fits");

static char class_names[2][NR_KMALLOC_CLASSES][20];

_Static_assert(KMALLOC_MAX_CACHE_SIZE == 16384 && NR_KMALLOC_CLASSES == 9 + 4 * 6 + 1,
	"kmalloc_class() has four classes per doubling from 129 to 8192, and one");

/* The bytes of a class; the inverse of kmalloc_class(). Class 9: 160. */
static size_t class_bytes(unsigned class)
{
	if (!class)
		return 8;
	if (class < 9)
		return class * 16;
	if (class == NR_KMALLOC_CLASSES - 1)
		return KMALLOC_MAX_CACHE_SIZE;
	return (size_t)(5 + (class - 9) % 4) << ((class - 9) / 4 + 5);
}

bool kmalloc_init(void)
{
	for (unsigned dma32 = 0; dma32 < 2; dma32++) {
		for (unsigned class = 0; class < NR_KMALLOC_CLASSES; class ++) {
			size_t bytes = class_bytes(class);
			char *name = class_names[dma32][class];

			format_text(name, sizeof(class_names[0][0]), "kmalloc-%s%zu",
				dma32 ? "dma32-" : "", bytes);
			kmalloc_caches[class][dma32] =
				kmem_cache_create(name, bytes, bytes & (bytes - 1) ? 0 : bytes,
					SLAB_PERMANENT | (dma32 ? SLAB_CACHE_DMA32 : 0), NULL);
			if (!kmalloc_caches[class][dma32])
				return false;
		}
	}
	for (unsigned i = 0; i < KMALLOC_MAX_CACHE_SIZE / 8; i++)
		offset_of[i] = (uint16_t)kmalloc_caches[kmalloc_class(i * 8 + 8)][0]->kc_cpu_offset;
	return true;
}

/* ---- whole pages ---- */

static unsigned bytes_order(size_t size_bytes)
{
	return size_bytes <= PAGE_SIZE
		       ? 0
		       : 64 - (unsigned)__builtin_clzl((size_bytes - 1) >> PAGE_SHIFT);
}

static void *large_alloc(size_t size_bytes, unsigned order, gfp_t gfp, int nid)
{
	struct page *page = order <= DOLMEN_MAX_ORDER ? alloc_pages_node(nid, gfp, order) : NULL;

	if (!page)
		return NULL;
	port_store(&page->pg_bytes, (uint64_t)size_bytes);
	label_pages(page, order, PAGE_LARGE);
	return page_to_virt(page);
}

static void large_free(struct page *page, const void *object, const void *caller)
{
	unsigned order = port_load(&page->pg_order);

	if (unlikely(page_to_virt(page) != object)) {
		slab_reports.wrong_free(FREE_INTERIOR, NULL, NULL, object, caller);
		return;
	}
	unlabel_pages(page, order);
	__free_pages(page, order);
}

/* ---- allocation ---- */

/* Whatever size, flags and node. */
static __attribute__((noinline)) void *alloc_slow(size_t size_bytes, gfp_t gfp, int nid)
{
	if (unlikely(!size_bytes))
		return ZERO_SIZE_PTR;
	if (unlikely(size_bytes > KMALLOC_MAX_CACHE_SIZE))
		return size_bytes <= KMALLOC_MAX_SIZE
			       ? large_alloc(size_bytes, bytes_order(size_bytes), gfp, nid)
			       : NULL;
	return kmem_cache_alloc_node(
		kmalloc_caches[kmalloc_class(size_bytes)][!!(gfp & GFP_DMA32)], gfp, nid);
}

void *kmalloc_node(size_t size_bytes, gfp_t gfp, int nid)
{
	if (likely(size_bytes - 1 < KMALLOC_MAX_CACHE_SIZE) &&
		likely(!(gfp & (GFP_DMA32 | __GFP_ZERO)))) {
		void *object = sheaf_pop_node(offset_of[(size_bytes - 1) / 8], (unsigned)nid);

		if (likely(object)) {
			port_object_taken(object, kmalloc_size_roundup(size_bytes));
			return object;
		}
	}
	return alloc_slow(size_bytes, gfp, nid);
}

void *kmalloc_var(size_t size_bytes, gfp_t gfp)
{
	if (likely(size_bytes - 1 < KMALLOC_MAX_CACHE_SIZE) &&
		likely(!(gfp & (GFP_DMA32 | __GFP_ZERO)))) {
		uint32_t cpu_offset = offset_of[(size_bytes - 1) / 8];
		void *object = port_slot_pop(cpu_offset);

		if (likely(object)) {
			sheaf_count(cpu_offset, ALLOC_FASTPATH);
			port_object_taken(object, kmalloc_size_roundup(size_bytes));
			return object;
		}
	}
	return alloc_slow(size_bytes, gfp, NUMA_NO_NODE);
}

void *kmalloc_aligned(size_t size_bytes, size_t align_bytes, gfp_t gfp)
{
	size_t bytes = size_bytes > align_bytes ? size_bytes : align_bytes;

	if (!align_bytes || align_bytes & (align_bytes - 1) || bytes > KMALLOC_MAX_SIZE)
		return NULL;
	if (!size_bytes)
		return ZERO_SIZE_PTR;
	if (align_bytes <= 8 || (align_bytes == 16 && size_bytes > 8))
		return kmalloc_var(size_bytes, gfp);
	if (bytes > KMALLOC_MAX_CACHE_SIZE)
		return large_alloc(size_bytes, bytes_order(bytes), gfp, NUMA_NO_NODE);
	/* The next power of two is aligned to itself. */
	return kmalloc_var(1ul << (64 - __builtin_clzl(bytes - 1)), gfp);
}

void *kmalloc_array(size_t nr, size_t size_bytes, gfp_t gfp)
{
	size_t bytes;

	return __builtin_mul_overflow(nr, size_bytes, &bytes) ? NULL : kmalloc_var(bytes, gfp);
}

void *kcalloc(size_t nr, size_t size_bytes, gfp_t gfp)
{
	return kmalloc_array(nr, size_bytes, gfp | __GFP_ZERO);
}

char *kstrdup(const char *string, gfp_t gfp)
{
	/* Not strlen(): a host must have no more than the four of lib/memory.h. */
	return string ? kmemdup(string, format_text(NULL, 0, "%s", string) + 1, gfp) : NULL;
}

void *kmemdup(const void *src, size_t size_bytes, gfp_t gfp)
{
	void *copy = kmalloc_var(size_bytes, gfp);

	if (!ZERO_OR_NULL_PTR(copy))
		memcpy(copy, src, size_bytes);
	return copy;
}

/* ---- free ---- */

void kfree_slow(const void *object, const void *caller)
{
	uint64_t word;
	struct page *page = object_page(object, &word);

	if (page_kind(word) == PAGE_SLAB)
		sheaf_free(page, (void *)object, NULL, caller);
	else if (page_kind(word) == PAGE_LARGE)
		large_free(page, object, caller);
	else if (!ZERO_OR_NULL_PTR(object))
		slab_reports.wrong_free(FREE_FOREIGN, NULL, NULL, object, caller);
}

/* Reached by a jump, so that what returns from here returns to who called kfree(). */
static __attribute__((slow_path)) void free_slow(const void *object)
{
	kfree_slow(object, __builtin_return_address(0));
}

static inline __attribute__((always_inline)) void free_object(const void *object)
{
	struct page *page = addr_to_page(object);

	if (unlikely(!page) || unlikely(!sheaf_push(object, port_load_acquire(&page->pg_word))))
		free_slow(object);
}

/* NULL and ZERO_SIZE_PTR have no page. */
void kfree(const void *object)
{
	free_object(object);
}

void kfree_sensitive(const void *object)
{
	size_t bytes = ksize(object);

	if (!bytes) {
		kfree(object);
		return;
	}
	memset((void *)object, 0, bytes);
	__asm__ volatile(""
			 :
			 : "r"(object)
			 : "memory"); /* the zeroes are written, though nobody reads them */
	free_object(object);
}

/* ---- sizes ---- */

size_t ksize(const void *object)
{
	uint64_t word;

	if (ZERO_OR_NULL_PTR(object))
		return 0;
	struct page *page = object_page(object, &word);
	if (page_kind(word) == PAGE_LARGE)
		return page_to_virt(page) == object ? PAGE_SIZE << port_load(&page->pg_order) : 0;
	if (page_kind(word) != PAGE_SLAB)
		return 0;
	struct kmem_cache *cache = port_load(&page->pg_cache);
	long index = slab_index(cache, slab_mask(page), slab_pair(page).hi, object);
	if (index < 0 || slab_object_free(cache, page, (unsigned)index))
		return 0;
	return cache->kc_object_bytes;
}

size_t kmalloc_size_roundup(size_t size_bytes)
{
	if (!size_bytes || size_bytes > KMALLOC_MAX_SIZE)
		return size_bytes;
	return size_bytes <= KMALLOC_MAX_CACHE_SIZE ? class_bytes(kmalloc_class(size_bytes))
						    : PAGE_SIZE << bytes_order(size_bytes);
}

void *krealloc(void *object, size_t size_bytes, gfp_t gfp)
{
	size_t old_bytes = ksize(object);

	if (!size_bytes) {
		kfree(object);
		return ZERO_SIZE_PTR;
	}
	if (ZERO_OR_NULL_PTR(object))
		return kmalloc_var(size_bytes, gfp);
	if (!old_bytes) {
		slab_reports.wrong_free(
			FREE_FOREIGN, NULL, NULL, object, __builtin_return_address(0));
		return NULL;
	}
	bool fits = size_bytes <= old_bytes;
	if (fits && kmalloc_size_roundup(size_bytes) >= old_bytes / 2)
		return object;
	void *copy = kmalloc_var(size_bytes, gfp);
	if (!copy)
		return fits ? object : NULL;
	memcpy(copy, object, fits ? size_bytes : old_bytes);
	kfree(object);
	return copy;
}
