/*
 * Per-CPU areas: DOLMEN_PERCPU_BYTES for each CPU, on that CPU's own memory node. An object
 * allocated here exists once in every area, at the same offset, so one 32-bit number names all of
 * its copies.
 *
 *	0                PERCPU_FIRST                                 DOLMEN_PERCPU_BYTES
 *	| the port's own | what percpu_alloc() hands out, first of all the page cache |
 */
#ifndef MM_PERCPU_H
#define MM_PERCPU_H

#include <dolmen/port.h>

#include "lib/names.h"

/*
 * The first offset handed out; never 0, which stands for none. A constant, because the page cache's
 * fast path wants one.
 */
#define PERCPU_FIRST                                                                               \
	(PORT_PERCPU_RESERVED < DOLMEN_CACHE_LINE                                                  \
			? DOLMEN_CACHE_LINE                                                        \
			: (PORT_PERCPU_RESERVED + DOLMEN_CACHE_LINE - 1) / DOLMEN_CACHE_LINE *     \
				  DOLMEN_CACHE_LINE)

/* What a slot is pointed to to turn it off: a stack that for ever holds none and takes none. */
extern struct port_stack closed_stack;

/*
 * `size_bytes` in every CPU's area, aligned to `align_bytes` (a power of two up to a page; 16 at
 * the least), zeroed on all CPUs. 0 when the areas are full or size_bytes is 0. Any context but
 * NMI. 100 bytes: offset 7168, say, on all CPUs.
 */
uint32_t percpu_alloc(size_t size_bytes, size_t align_bytes);

/*
 * `size_bytes` as allocated. What is freed is found again, so creating and destroying for ever does
 * not fill the areas.
 */
void percpu_free(uint32_t offset, size_t size_bytes);

/*
 * Allocates the areas of CPUs 0..nr_cpus-1 and tells the port. False when memory does not suffice.
 * Boot, once.
 */
bool percpu_init(unsigned nr_cpus);

static inline void *percpu_ptr(uint32_t offset, unsigned cpu)
{
	return port_load(&percpu_areas[cpu]) + offset;
}

/* Stable while interrupts are off. */
static inline void *this_percpu(uint32_t offset)
{
	return (char *)port_this_percpu() + offset;
}

#endif
