/*
 * The page allocator's calls: which zone serves a request.
 *
 * Fast path: this CPU's page cache, orders 0 to 3, in one window: no lock, interrupts on. Otherwise
 * the zones in order: the nodes by distance from the one asked for, on each NORMAL before DMA32.
 * Three rounds, each leaving less behind: down to MARK_LOW, so that a request moves on to the next
 * zone while every zone still has a reserve; down to MARK_MIN; and, with __GFP_HIGH alone, to
 * nothing. Before it fails, a request empties all page caches, or with interrupts off this CPU's,
 * and then asks page_reclaim if there is one.
 *
 * A zone below MARK_HIGH first initialises one more of its late sections (mm/memmap.c), if any is
 * left.
 *
 * States of a block: PAGE_BUDDY -> PAGE_PCP -> PAGE_USED -> PAGE_PCP -> ... -> PAGE_BUDDY. A free
 * claims the block by a compare-exchange from PAGE_USED to PAGE_PCP, so of two frees of one block
 * exactly one succeeds and the other is reported; pg_order says whether it is a block and of that
 * size. So between a pop and the word, or the claim and a push, the block is the caller's alone:
 * an interrupt may come there, and the thread may go on on another CPU.
 *
 * Any context but NMI. Lock: zn_lock.
 */
#include "mm/page_alloc.h"

#include <dolmen/init.h>
#include "lib/memory.h"
#include "mm/log.h"
#include "mm/numa.h"
#include "mm/pcp.h"

bool (*page_reclaim)(int nid, gfp_t gfp, unsigned order);

/* Failure injection; fail_armed alone is read without the lock. */
static struct spinlock fail_lock;
static bool fail_armed;
static uint64_t fail_skip, fail_count;

static uint64_t nr_failures;

/* ---- failure ---- */

void dolmen_fail_pages(uint64_t skip, uint64_t count)
{
	unsigned long flags = spin_lock_irqsave(&fail_lock);

	port_store(&fail_skip, skip);
	port_store(&fail_count, count);
	port_store(&fail_armed, count != 0);
	spin_unlock_irqrestore(&fail_lock, flags);
}

static bool fail_now(void)
{
	unsigned long flags = spin_lock_irqsave(&fail_lock);
	uint64_t skip = port_load(&fail_skip), count = port_load(&fail_count);

	if (skip) {
		port_store(&fail_skip, skip - 1);
	} else if (count && count != UINT64_MAX) {
		port_store(&fail_count, count - 1);
		port_store(&fail_armed, count != 1);
	}
	spin_unlock_irqrestore(&fail_lock, flags);
	return !skip && count;
}

uint64_t page_alloc_failures(void)
{
	return port_load(&nr_failures);
}

/*
 * A line for the 1st, 2nd, 4th, 8th ... failure, so that a machine that lives at its limit still
 * has a readable console.
 */
static void note_failure(int nid, gfp_t gfp, unsigned order)
{
	uint64_t nr = port_fetch_add(&nr_failures, 1ul) + 1;

	if (!(gfp & __GFP_NOWARN) && !(nr & (nr - 1)))
		mm_log("page_alloc: no memory for order %u, node %d, gfp 0x%x (failure %lu)", order,
			nid, gfp, nr);
}

/* ---- one zone ---- */

static bool add_late_section(struct zone *zone)
{
	uint64_t home = port_load(&zone->zn_home), pfn;
	unsigned long flags = port_irq_save();
	bool added = memmap_init_late(page_node(home), page_zone(home), &pfn);

	if (added) {
		const uint64_t nr_pages = 1ul << SECTION_PFN_SHIFT;

		buddy_add(zone, pfn, pfn + nr_pages);
		port_fetch_add(&zone->zn_late, -nr_pages);
	}
	port_irq_restore(flags);
	return added;
}

/* A block out of a page cache becomes its taker's. */
static inline void hand_out(struct page *page)
{
	port_store(&page->pg_word, port_load(&page->pg_word) ^ (PAGE_PCP ^ PAGE_USED));
}

/*
 * From this zone, leaving `mark` behind, or NULL. Interrupts off. When no late section is left to
 * initialise though some are not here yet, another CPU is at it, with interrupts off, so not one
 * that we interrupted: its pages are worth a wait.
 */
static struct page *take(struct zone *zone, unsigned order, enum zone_mark mark)
{
	uint64_t reserve = port_load(&zone->zn_marks[mark]);
	struct page *page;

	if (port_load(&zone->zn_late) &&
		port_load(&zone->zn_free) < port_load(&zone->zn_marks[MARK_HIGH]))
		add_late_section(zone);
	page = pcp_take(zone, order, reserve);
	while (unlikely(!page) && port_load(&zone->zn_late)) {
		if (!add_late_section(zone))
			port_relax();
		page = pcp_take(zone, order, reserve);
	}
	if (page)
		hand_out(page);
	return page;
}

/* ---- which zone ---- */

static struct page *try_zones(unsigned nid, gfp_t gfp, unsigned order, enum zone_mark mark)
{
	int at;

	for (unsigned i = 0; (at = numa_fallback(nid, i)) != NUMA_NO_NODE; i++) {
		if (gfp & __GFP_THISNODE && (unsigned)at != nid)
			return NULL;
		for (int id = gfp & GFP_DMA32 ? ZONE_DMA32 : ZONE_NORMAL; id >= ZONE_DMA32; id--) {
			struct zone *zone = &node_zones[at][id];

			if (!port_load(&zone->zn_managed))
				continue;
			struct page *page = take(zone, order, mark);

			if (page)
				return page;
		}
	}
	return NULL;
}

static struct page *try_rounds(unsigned nid, gfp_t gfp, unsigned order)
{
	unsigned long flags = port_irq_save();
	struct page *page = try_zones(nid, gfp, order, MARK_LOW);

	if (!page)
		page = try_zones(nid, gfp, order, MARK_MIN);
	if (!page && gfp & __GFP_HIGH)
		page = try_zones(nid, gfp, order, MARK_NONE);
	port_irq_restore(flags);
	return page;
}

static __attribute__((noinline)) struct page *alloc_slow(int nid, gfp_t gfp, unsigned order)
{
	unsigned home = nid == NUMA_NO_NODE ? cpu_to_mem(port_cpu()) : (unsigned)nid;
	struct page *page = NULL;

	if (order > DOLMEN_MAX_ORDER || home >= numa_nr_nodes())
		return NULL;
	if (unlikely(port_load(&fail_armed)) && fail_now()) {
		note_failure((int)home, gfp, order);
		return NULL;
	}
	page = try_rounds(home, gfp, order);
	if (unlikely(!page) && gfp & __GFP_NORETRY)
		return NULL;
	if (unlikely(!page) && pcp_drain_all())
		page = try_rounds(home, gfp, order);
	if (unlikely(!page) && !(gfp & __GFP_HIGH) && page_reclaim &&
		page_reclaim((int)home, gfp, order)) {
		pcp_drain_all(); /* where what it gave back may be, in pieces */
		page = try_rounds(home, gfp, order);
	}
	if (unlikely(!page)) {
		note_failure((int)home, gfp, order);
		return NULL;
	}
	port_object_taken(page_to_virt(page), PAGE_SIZE << order);
	if (gfp & __GFP_ZERO)
		memset(page_to_virt(page), 0, PAGE_SIZE << order);
	return page;
}

struct page *alloc_pages(gfp_t gfp, unsigned order)
{
	if (likely(order < PCP_ORDERS) && likely(!(gfp & (GFP_DMA32 | __GFP_ZERO))) &&
		likely(!port_load(&fail_armed))) {
		struct page *page = port_slot_pop(pcp_slot(order));

		if (likely(page)) {
			hand_out(page);
			port_object_taken(page_to_virt(page), PAGE_SIZE << order);
			return page;
		}
	}
	return alloc_slow(NUMA_NO_NODE, gfp, order);
}

/* This CPU's memory node. */
static unsigned this_node(void)
{
	return (uint8_t)port_load(&this_pcp()->pc_slots[0][0].sl_home);
}

/*
 * A caller with interrupts on may go on on another node's CPU after the look at this one's node.
 * That is no harm where the node is a wish; where it is a must, the slow way goes by the node's
 * number.
 */
struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned order)
{
	if (nid == NUMA_NO_NODE || (!(gfp & __GFP_THISNODE) && (unsigned)nid == this_node()))
		return alloc_pages(gfp, order);
	return alloc_slow(nid, gfp, order);
}

/* ---- free ---- */

static const char *const kind_names[] = {
	[PAGE_RESERVED] = "reserved",
	[PAGE_USED] = "used",
	[PAGE_BUDDY] = "free",
	[PAGE_PCP] = "free",
	[PAGE_SLAB] = "slab",
	[PAGE_LARGE] = "large",
};

static __attribute__((noinline, cold)) void report_free(struct page *page, unsigned order)
{
	uint64_t word = port_load(&page->pg_word);
	unsigned kind = page_kind(word), real = port_load(&page->pg_order);
	uint64_t pfn = page_pfn(page);

	if (kind != PAGE_USED || word & PAGE_TAIL)
		mm_report("page_alloc: wrong free of pfn 0x%lx, order %u: the page is %s", pfn,
			order,
			kind < sizeof(kind_names) / sizeof(kind_names[0]) ? kind_names[kind]
									  : "destroyed");
	else if (real == PAGE_NOT_HEAD)
		mm_report("page_alloc: wrong free of pfn 0x%lx, order %u: no block starts there",
			pfn, order);
	else
		mm_report("page_alloc: wrong free of pfn 0x%lx, order %u: the block has order %u",
			pfn, order, real);
}

static bool may_free(struct page *page, uint64_t word, unsigned order)
{
	return (word & ~PAGE_HOME_MASK) == PAGE_USED && port_load(&page->pg_order) == order;
}

/*
 * The compare-exchange against the one first word that a page in use has is the check of its kind,
 * and claims it.
 */
void __free_pages(struct page *page, unsigned order)
{
	uint64_t home = port_load(&page->pg_word) & PAGE_HOME_MASK, used = home + PAGE_USED;

	if (unlikely(port_load(&page->pg_order) != order) ||
		unlikely(!port_cas(&page->pg_word, &used, home + PAGE_PCP))) {
		report_free(page, order);
		return;
	}
	port_object_freed(page_to_virt(page), PAGE_SIZE << order);
	if (unlikely(order >= PCP_ORDERS) ||
		unlikely(!port_slot_push(pcp_slot(order), page, pcp_home(home))))
		pcp_give(page, order);
}

/* ---- by address ---- */

void *page_address(struct page *page)
{
	return page ? page_to_virt(page) : NULL;
}

struct page *virt_to_page(const void *addr)
{
	return addr_to_page(addr);
}

void *__get_free_pages(gfp_t gfp, unsigned order)
{
	return page_address(alloc_pages(gfp, order));
}

/* The page that starts at `addr`; reported and NULL if there is none. */
static struct page *page_of(const void *addr)
{
	struct page *page = addr_to_page(addr);

	if (page && !((uintptr_t)addr % PAGE_SIZE))
		return page;
	mm_report("page_alloc: wrong free of address %p: %s", addr,
		page ? "no page starts there" : "not memory of the page allocator");
	return NULL;
}

void free_pages(void *addr, unsigned order)
{
	struct page *page = addr ? page_of(addr) : NULL;

	if (page)
		__free_pages(page, order);
}

/*
 * A run of n pages is made of one block for each bit set in n, the largest first, so its parts are
 * found again from n alone: 5 pages are an order-2 block and an order-0 block.
 */
void *alloc_pages_exact(size_t size_bytes, gfp_t gfp)
{
	if (!size_bytes || size_bytes > PAGE_SIZE << DOLMEN_MAX_ORDER)
		return NULL;

	unsigned nr_pages = (unsigned)((size_bytes + PAGE_SIZE - 1) >> PAGE_SHIFT), order = 0,
		 at = 0;

	while (1u << order < nr_pages)
		order++;
	struct page *page = alloc_pages(gfp, order);

	if (!page)
		return NULL;
	for (unsigned part = order + 1; part-- > 0;) {
		if (!(nr_pages & 1u << part))
			continue;
		port_store(&page[at].pg_order, (uint8_t)part);
		at += 1u << part;
	}
	while (at < 1u << order) {
		unsigned part = (unsigned)__builtin_ctz(at);

		port_store(&page[at].pg_order, (uint8_t)part);
		__free_pages(&page[at], part);
		at += 1u << part;
	}
	return page_to_virt(page);
}

void free_pages_exact(void *addr, size_t size_bytes)
{
	if (!addr || !size_bytes || size_bytes > PAGE_SIZE << DOLMEN_MAX_ORDER)
		return;

	unsigned nr_pages = (unsigned)((size_bytes + PAGE_SIZE - 1) >> PAGE_SHIFT), at = 0;
	struct page *page = page_of(addr);

	if (!page)
		return;
	/*
	 * All parts are looked at before the first is freed, so that a wrong size changes nothing.
	 */
	for (unsigned part = DOLMEN_MAX_ORDER + 1; part-- > 0;) {
		if (!(nr_pages & 1u << part))
			continue;
		if (pfn_to_page(page_pfn(page) + at) != &page[at] ||
			!may_free(&page[at], port_load(&page[at].pg_word), part)) {
			mm_report("page_alloc: wrong free of %u pages at %p: not such a run",
				nr_pages, addr);
			return;
		}
		at += 1u << part;
	}
	at = 0;
	for (unsigned part = DOLMEN_MAX_ORDER + 1; part-- > 0;) {
		if (!(nr_pages & 1u << part))
			continue;
		__free_pages(&page[at], part);
		at += 1u << part;
	}
}

void page_alloc_drain(void)
{
	pcp_drain_all();
}
