/*
 * struct page, the section table, and the ways between a page, its frame number and its address.
 */
#ifndef MM_MEMMAP_H
#define MM_MEMMAP_H

#include <dolmen/page.h>
#include "lib/names.h"
#include "mm/list.h"

struct kmem_cache;

/*
 * What a page is, in bits 0..7 of its first word. A page in a section with a memmap starts as
 * PAGE_RESERVED.
 */
enum page_kind {
	PAGE_RESERVED, /* not memory, or memory of others */
	PAGE_USED,  /* head: given out by alloc_pages; elsewhere: any page without another kind */
	PAGE_BUDDY, /* head of a free block, order in pg_order; under the zone's lock */
	PAGE_PCP,   /* head of a block in a per-CPU page cache */
	PAGE_SLAB,  /* head or tail of a slab */
	PAGE_LARGE, /* head or tail of a kmalloc above the largest class */
};

/*
 * Word 0 answers kfree alone:
 *
 *	 63           32 31  26  25    24   23    16 15     8 7      0
 *	| per-CPU offset| zero | odd | tail |  zone  |  node  |  kind  |
 *
 * The per-CPU offset is that of the cache's struct kmem_cache_cpu (PAGE_SLAB only, otherwise 0).
 * Tail pages of a slab or a large block repeat the head's word with the tail bit set. Odd: a slab
 * of another order than its cache's usual one. Node and zone are set when the page becomes memory
 * and never change. Node and kind together are the page's *home*: one comparison tells a CPU that
 * this is a slab near it.
 */
#define PAGE_KIND_MASK	  0xfful
#define PAGE_TAIL	  (1ul << 24)
#define PAGE_ODD_ORDER	  (1ul << 25)
#define PAGE_NODE_SHIFT	  8
#define PAGE_NODE_MASK	  0xff00ul
#define PAGE_ZONE_SHIFT	  16
#define PAGE_ZONE_MASK	  0xff0000ul
#define PAGE_HOME_MASK	  0xffff00ul /* node and zone */
#define PAGE_PERCPU_SHIFT 32

#define PAGE_MAX_PFN (1ul << 48) /* what pg_pfn_high and pg_pfn_low hold */

enum zone_id { ZONE_DMA32, ZONE_NORMAL, NR_ZONES }; /* below and from 4 GiB */

#define ZONE_NORMAL_PFN (1ul << (32 - PAGE_SHIFT))

/*
 * pg_order of a page that starts no block. Kept by the page allocator alone, whatever the page is
 * used for in between, so that freeing the middle of a block is told from freeing a block.
 */
#define PAGE_NOT_HEAD 0xffu

/*
 * 64 bytes and 64-byte aligned, so that none straddles a cache line and the pair can be the operand
 * of CMPXCHG16B. The pair is used by slabs alone and survives freeing: see mm/slab.c.
 */
struct page {
	uint64_t pg_word; /* the page's owner: page allocator, or a slab being born or discarded */
	union {
		struct kmem_cache *pg_cache; /* head of a slab */
		struct page *pg_head;	     /* tail of a slab or large block */
		uint64_t pg_bytes;	     /* head of a large block: bytes asked for */
	};
	struct port_pair pg_pair; /* slab: free set and counters, by compare-exchange only */
	struct list_head pg_list; /* node partial list (list lock), buddy area (zone lock) */
	uint64_t pg_owner;	  /* reserved for accounting */
	uint8_t pg_lock;	  /* page-lock mode: bit 0, held with interrupts off */
	uint8_t pg_order; /* head of a block, slab or large: its order; elsewhere PAGE_NOT_HEAD */
	uint16_t pg_pfn_high; /* this page's frame number; set once */
	uint32_t pg_pfn_low;
} __attribute__((aligned(DOLMEN_CACHE_LINE)));

_Static_assert(sizeof(struct page) == 64, "64 bytes a page, never straddling a cache line");
_Static_assert(offsetof(struct page, pg_pair) == 16, "the pair is CMPXCHG16B's operand");

static inline uint64_t page_pfn(struct page *page)
{
	return (uint64_t)port_load(&page->pg_pfn_high) << 32 | port_load(&page->pg_pfn_low);
}

static inline unsigned page_node(uint64_t word)
{
	return word >> PAGE_NODE_SHIFT & 0xff;
}

static inline unsigned page_zone(uint64_t word)
{
	return word >> PAGE_ZONE_SHIFT & 0xff;
}

static inline enum page_kind page_kind(uint64_t word)
{
	return word & PAGE_KIND_MASK;
}

/*
 * section_table[section] is the memmap minus its first frame number, so that adding a pfn gives the
 * page; 0: no memmap.
 */
extern uintptr_t *section_table;
extern uint64_t nr_sections; /* to the highest that can have one; both constant after boot */

#define SECTION_PFN_SHIFT (PORT_SECTION_SHIFT - PAGE_SHIFT)

static inline struct page *pfn_to_page(uint64_t pfn)
{
	uint64_t section = pfn >> SECTION_PFN_SHIFT;

	if (unlikely(section >= nr_sections))
		return NULL;
	uintptr_t biased = port_load_acquire(&section_table[section]);
	if (unlikely(!biased))
		return NULL;
	struct page *page = (struct page *)(biased + pfn * sizeof(struct page));
	if (!page) /* the caller need not ask again */
		__builtin_unreachable();
	return page;
}

/* NULL for any pointer that is not into a section with a memmap. */
static inline struct page *addr_to_page(const void *addr)
{
	return pfn_to_page(port_virt_to_phys(addr) >> PAGE_SHIFT);
}

static inline void *page_to_virt(struct page *page)
{
	return port_phys_to_virt(page_pfn(page) << PAGE_SHIFT);
}

/* ---- start-up and late sections, for the page allocator ---- */

struct pfn_range;

/*
 * Boot. Finds memory for a section table that reaches to `max_pfn`, or to the end of `ranges`, and
 * for the memmap of every section that they touch. What they fill in part has its memmap at once.
 * False when there is not even room for the table.
 */
bool memmap_init(const struct pfn_range *ranges, unsigned nr_ranges, uint64_t max_pfn);

/*
 * Boot, after the last memblock_alloc(): initialises and publishes the sections that are not wholly
 * free.
 */
void memmap_init_edges(void);

/*
 * Initialises and publishes the next section of this node and zone that is still missing; its first
 * frame is *first_pfn, and all its pages are the caller's, used and in no block. False when none is
 * left. Any CPU, interrupts off.
 */
bool memmap_init_late(unsigned nid, enum zone_id zone, uint64_t *first_pfn);

/* Boot: pages of this node and zone in sections left to memmap_init_late(). */
uint64_t memmap_late_pages(unsigned nid, enum zone_id zone);

/* The first of [start_pfn, end_pfn) that is memory already, or end_pfn. Any CPU. */
uint64_t memmap_find_memory(uint64_t start_pfn, uint64_t end_pfn);

/*
 * Makes [start_pfn, end_pfn), none of it memory yet, used pages of node `nid` in no block. Memmaps
 * that are missing are put at its start. Returns how many pages they took; if not less than all,
 * nothing was done. One call at a time, any CPU.
 */
uint64_t memmap_extend(uint64_t start_pfn, uint64_t end_pfn, unsigned nid);

/* Pages that hold struct pages. */
uint64_t memmap_pages(void);

/* Whether a memmap at this address may be published; if not, a line says why. */
bool memmap_fits(uint64_t section, const struct page *memmap);

#endif
