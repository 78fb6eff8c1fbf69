/*
 * Buddy allocator of one zone.
 *
 * A free block of order n is 2^n pages, aligned to its size; its head says PAGE_BUDDY and the
 * order, and hangs in the list of that order. Two free buddies of one order never exist below the
 * largest: they are merged. The buddy of a block lies in the same 2^DOLMEN_MAX_ORDER pages, so in
 * the same section: its struct page exists whenever the block's does, and is found by adding to the
 * pointer. Whether it is free memory of this zone, one masked compare of its first word says.
 *
 * pg_order is PAGE_NOT_HEAD on every page that starts no block, free or in use: a page becomes a
 * head when a block is split or added, and stops being one when it is merged into a lower block.
 * Only code under the zone's lock changes either.
 *
 * Lock: zn_lock, interrupts off. Nothing else is taken under it.
 */
#include "mm/buddy.h"

#include "mm/numa.h"

struct zone *node_zones[DOLMEN_MAX_NODES];

#define WORD_MASK (PAGE_HOME_MASK | PAGE_TAIL | PAGE_KIND_MASK)

bool buddy_init(void)
{
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		if (!numa_has_memory(nid))
			continue;
		struct zone *zones = numa_boot_alloc(NR_ZONES * sizeof(*zones), nid, true);

		if (!zones)
			return false;
		for (unsigned zone = 0; zone < NR_ZONES; zone++) {
			port_store(&zones[zone].zn_home, (uint64_t)zone << PAGE_ZONE_SHIFT |
								 (uint64_t)nid << PAGE_NODE_SHIFT);
			for (unsigned order = 0; order <= DOLMEN_MAX_ORDER; order++)
				list_init(&zones[zone].zn_blocks[order]);
		}
		node_zones[nid] = zones;
	}
	return true;
}

static void insert_block(struct zone *zone, struct page *page, unsigned order)
{
	port_store(&page->pg_word, port_load(&zone->zn_home) | PAGE_BUDDY);
	port_store(&page->pg_order, (uint8_t)order);
	list_add(&page->pg_list, &zone->zn_blocks[order]);
	port_store(&zone->zn_orders, port_load(&zone->zn_orders) | 1u << order);
}

static void remove_block(struct zone *zone, struct page *page, unsigned order)
{
	list_del(&page->pg_list);
	if (list_empty(&zone->zn_blocks[order]))
		port_store(&zone->zn_orders, port_load(&zone->zn_orders) & ~(1u << order));
}

struct page *buddy_take(struct zone *zone, unsigned order)
{
	uint32_t fitting = port_load(&zone->zn_orders) >> order << order;

	if (!fitting)
		return NULL;

	unsigned found = (unsigned)__builtin_ctz(fitting);
	struct page *page = list_first(&zone->zn_blocks[found], struct page, pg_list);

	remove_block(zone, page, found);
	while (found > order) {
		found--;
		insert_block(zone, page + (1ul << found), found);
	}
	port_store(&page->pg_word, port_load(&zone->zn_home) | PAGE_PCP);
	port_store(&page->pg_order, (uint8_t)order);
	port_store(&zone->zn_free, port_load(&zone->zn_free) - (1ul << order));
	return page;
}

void buddy_give(struct zone *zone, struct page *page, unsigned order)
{
	const uint64_t free_word = port_load(&zone->zn_home) | PAGE_BUDDY;
	uint64_t pfn = page_pfn(page);

	port_store(&zone->zn_free, port_load(&zone->zn_free) + (1ul << order));
	while (order < DOLMEN_MAX_ORDER) {
		uint64_t buddy_pfn = pfn ^ 1ul << order;
		struct page *buddy = page + (int64_t)(buddy_pfn - pfn);

		if ((port_load(&buddy->pg_word) & WORD_MASK) != free_word ||
			port_load(&buddy->pg_order) != order)
			break;
		remove_block(zone, buddy, order);
		port_store(&buddy->pg_word, port_load(&zone->zn_home) | PAGE_USED);
		struct page *upper = buddy_pfn > pfn ? buddy : page;

		port_store(&upper->pg_word, port_load(&zone->zn_home) | PAGE_USED);
		port_store(&upper->pg_order, (uint8_t)PAGE_NOT_HEAD);
		if (buddy_pfn < pfn) {
			page = buddy;
			pfn = buddy_pfn;
		}
		order++;
	}
	insert_block(zone, page, order);
}

void buddy_add(struct zone *zone, uint64_t start_pfn, uint64_t end_pfn)
{
	unsigned long flags = spin_lock_irqsave(&zone->zn_lock);
	struct page *page = pfn_to_page(start_pfn);

	for (uint64_t pfn = start_pfn; pfn < end_pfn;) {
		unsigned order = DOLMEN_MAX_ORDER;

		while (pfn & ((1ul << order) - 1) || end_pfn - pfn < 1ul << order)
			order--;
		buddy_give(zone, page, order);
		page += 1ul << order;
		pfn += 1ul << order;
	}
	spin_unlock_irqrestore(&zone->zn_lock, flags);
}
