/*
 * In-place heap sort: O(n log n) whatever the input, no recursion, no memory. Not stable, so
 * compare() should be a total order where the result must not depend on the input's. For boot and
 * reports, not for fast paths.
 */
#ifndef LIB_SORT_H
#define LIB_SORT_H

#include <stddef.h>

#include "lib/names.h"

/* compare(a, b): negative, 0 or positive as a sorts before, with or after b. */
void heap_sort(
	void *base, size_t nr_items, size_t item_bytes, int (*compare)(const void *, const void *));

#endif
