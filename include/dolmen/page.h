/*
 * The page allocator's calls.
 */
#ifndef DOLMEN_PAGE_H
#define DOLMEN_PAGE_H

#include <stddef.h>

#include <dolmen/gfp.h>
#include <dolmen/limits.h>
#include <dolmen/names.h>

#ifdef __cplusplus
extern "C" {
#endif

struct page; /* one for each page frame in a section with usable memory; opaque */

/*
 * The page's own address in the direct map, and the page of an address; NULL for an address that
 * has none.
 */
void *page_address(struct page *page);
struct page *virt_to_page(const void *addr);

/*
 * 2^order pages, aligned to their size, or NULL. `order` 0..DOLMEN_MAX_ORDER, above: NULL. From the
 * node `nid` (NUMA_NO_NODE: this CPU's memory node), then by distance unless __GFP_THISNODE. Any
 * context but NMI. As in Linux.
 */
struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned order);
struct page *alloc_pages(gfp_t gfp, unsigned order);

/*
 * `order` as allocated. A page that is free already or was not given out is reported and left
 * alone.
 */
void __free_pages(struct page *page, unsigned order);

/* The same by address. */
void *__get_free_pages(gfp_t gfp, unsigned order);
void free_pages(void *addr, unsigned order);

/*
 * Just enough whole pages for `size_bytes` (0: NULL), at most 4 MiB; the rest of the block goes
 * back at once.
 */
void *alloc_pages_exact(size_t size_bytes, gfp_t gfp);
void free_pages_exact(void *addr, size_t size_bytes);

#ifdef __cplusplus
}
#endif

#endif
