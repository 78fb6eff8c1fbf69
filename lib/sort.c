/*
 * Heap sort: see lib/sort.h. The heap has its largest item at the root; sorting takes the root off
 * to the end.
 */
#include "lib/sort.h"

static void swap(char *a, char *b, size_t item_bytes)
{
	for (size_t i = 0; i < item_bytes; i++) {
		char byte = a[i];

		a[i] = b[i];
		b[i] = byte;
	}
}

/* Sinks the item at `root` until it is no less than both children. */
static void sift_down(char *base, size_t root, size_t nr_items, size_t item_bytes,
	int (*compare)(const void *, const void *))
{
	for (;;) {
		size_t child = 2 * root + 1;

		if (child >= nr_items)
			return;
		if (child + 1 < nr_items &&
			compare(base + child * item_bytes, base + (child + 1) * item_bytes) < 0)
			child++;
		if (compare(base + root * item_bytes, base + child * item_bytes) >= 0)
			return;
		swap(base + root * item_bytes, base + child * item_bytes, item_bytes);
		root = child;
	}
}

void heap_sort(
	void *base, size_t nr_items, size_t item_bytes, int (*compare)(const void *, const void *))
{
	for (size_t root = nr_items / 2; root-- > 0;)
		sift_down(base, root, nr_items, item_bytes, compare);
	for (size_t last = nr_items; last-- > 1;) {
		swap(base, (char *)base + last * item_bytes, item_bytes);
		sift_down(base, 0, last, item_bytes, compare);
	}
}
