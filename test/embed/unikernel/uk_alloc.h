/*
 * The allocator as unikernels have it: a table of functions, so that the kernel above can be given
 * one or the other. Semantics: C11 and POSIX for those with such names.
 */
#ifndef UK_ALLOC_H
#define UK_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#define UK_EINVAL 22
#define UK_ENOMEM 12

struct uk_alloc {
	void *(*malloc)(struct uk_alloc *a, size_t size_bytes);
	void *(*calloc)(struct uk_alloc *a, size_t nr, size_t size_bytes);
	void *(*realloc)(struct uk_alloc *a, void *ptr, size_t size_bytes);
	int (*posix_memalign)(
		struct uk_alloc *a, void **ptr, size_t align_bytes, size_t size_bytes);
	void *(*memalign)(struct uk_alloc *a, size_t align_bytes, size_t size_bytes);
	void (*free)(struct uk_alloc *a, void *ptr);

	/* Whole pages, any number of them. */
	void *(*palloc)(struct uk_alloc *a, size_t nr_pages);
	void (*pfree)(struct uk_alloc *a, void *ptr, size_t nr_pages);

	/* Memory from now on; 0, or an error if none of it could be used. */
	int (*addmem)(struct uk_alloc *a, void *base, size_t size_bytes);

	/* Statistics: bytes of the largest request, bytes free. */
	size_t (*maxalloc)(struct uk_alloc *a);
	size_t (*availmem)(struct uk_alloc *a);
};

/* The library's, once dolmen_init() is through. */
struct uk_alloc *uk_alloc_dolmen(void);

#endif
