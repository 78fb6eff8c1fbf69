/*
 * Frees that no caller may make: twice, inside, foreign, to the wrong cache, of the wrong order
 * or size. Each must be reported exactly once, and free pages and objects in use stay what they
 * were. That bytes stay is seen when blocks are freed.
 *
 * A block given back before is freed again only where no other has been handed out since, neither
 * to the shadow nor to the library itself.
 */
#include <string.h>

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include "mm/page_alloc.h"
#include "mm/slab.h"
#include "mm/stats.h"
#include "test/fuzz/api.h"
#include "test/fuzz/machine.h"

typedef bool wrong_free_fn(struct input *input); /* false: there is nothing to do it to */

static struct live *pick(struct input *input, enum live_kind kind)
{
	unsigned start = take8(input);

	for (unsigned i = 0; i < nr_lives; i++) {
		struct live *live = &lives[(start + i) % nr_lives];

		if (live->kind == kind)
			return live;
	}
	return NULL;
}

static bool is_librarys_own(const void *at)
{
	uint64_t word;
	struct page *page = object_page(at, &word);

	return page_kind(word) == PAGE_SLAB &&
	       port_load(&page->pg_cache)->kc_flags & SLAB_PERMANENT &&
	       !strstr(port_load(&page->pg_cache)->kc_name, "kmalloc");
}

static bool twice(struct input *input)
{
	const struct dead *again = &dead[take8(input) % SHADOW_DEAD];

	if (!again->at || shadow_covers(again->at) || is_librarys_own(again->at))
		return false;
	if (again->kind == LIVE_OBJECT)
		kfree(again->at);
	else if (again->kind == LIVE_PAGES)
		free_pages(again->at, again->order);
	else
		free_pages_exact(again->at, PAGE_SIZE);
	return true;
}

static bool inside(struct input *input)
{
	struct live *live = pick(input, LIVE_OBJECT);
	size_t offset = take16(input);

	if (!live || live->bytes < 2)
		return false;
	offset = 1 + offset % (live->bytes - 1);
	if (offset % 2 && live->own)
		kmem_cache_free(live->own->cache, live->at + offset);
	else
		kfree(live->at + offset);
	return true;
}

static bool inside_pages(struct input *input)
{
	struct live *live = pick(input, LIVE_PAGES);
	size_t offset = take16(input);

	if (!live)
		return false;
	if (live->order && offset % 2)
		offset = PAGE_SIZE * (1 + offset % ((1u << live->order) - 1));
	else
		offset = 1 + offset % (PAGE_SIZE - 1);
	free_pages(live->at + offset, live->order);
	return true;
}

static bool foreign(struct input *input)
{
	static uint64_t somewhere[16];
	const uint64_t no_memory = 0x20ull << 40;
	void *const addresses[] = {somewhere, &input, (void *)17, (void *)4096,
		(void *)0xffffffffffffffff, (void *)0x8000000000000000, hosted_base + (3ull << 30),
		hosted_base - 16, (char *)hosted_base + no_memory, (void *)foreign};
	unsigned choice = take8(input);
	void *address = addresses[choice % (sizeof(addresses) / sizeof(addresses[0]))];

	switch (choice / 16 % 4) {
	case 0:
		free_pages(address, choice / 64);
		break;
	case 1:
		if (!own_caches[0].cache)
			return false;
		kmem_cache_free(own_caches[0].cache, address);
		break;
	case 2:
		REQUIRE(!krealloc(address, 100, GFP_KERNEL), "krealloc of what is not ours");
		break;
	default:
		REQUIRE(!ksize(address), "a size of what is not ours");
		kfree(address);
	}
	return true;
}

static bool wrong_cache(struct input *input)
{
	struct live *live = pick(input, take8(input) % 4 ? LIVE_OBJECT : LIVE_PAGES);
	struct own_cache *own = &own_caches[take8(input) % SHADOW_CACHES];

	if (!live || !own->cache || live->own == own)
		return false;
	kmem_cache_free(own->cache, live->at);
	return true;
}

static bool wrong_order(struct input *input)
{
	struct live *live = pick(input, LIVE_PAGES);
	unsigned order = take8(input) % (DOLMEN_MAX_ORDER + 1);

	if (!live || order == live->order)
		return false;
	free_pages(live->at, order);
	return true;
}

/* What kmalloc gave as pages, and pages as what kmalloc gave. */
static bool wrong_call(struct input *input)
{
	bool pages = take8(input) % 2;
	struct live *live = pick(input, pages ? LIVE_PAGES : LIVE_OBJECT);

	if (!live)
		return false;
	if (pages)
		kfree(live->at);
	else
		free_pages(live->at, shadow_order(live->bytes));
	return true;
}

/* A run of another number of pages, whose first part would be larger or smaller. */
static bool wrong_run(struct input *input)
{
	struct live *live = pick(input, LIVE_EXACT);
	unsigned shift = 1 + take8(input) % 2;

	if (!live || live->bytes << shift > KMALLOC_MAX_SIZE)
		return false;
	free_pages_exact(live->at, live->bytes << shift);
	return true;
}

static uint64_t objects_in_use(void)
{
	struct cache_stats stats;
	uint64_t nr = 0;

	for (unsigned i = 0; i < SHADOW_CACHES; i++) {
		if (!own_caches[i].cache)
			continue;
		cache_stats(own_caches[i].cache, &stats);
		nr += stats.in_use;
	}
	for (unsigned class = 0; class < NR_KMALLOC_CLASSES; class += 5) {
		cache_stats(kmalloc_caches[class][0], &stats);
		nr += stats.in_use;
	}
	return nr;
}

void op_wrong_free(struct input *input)
{
	static wrong_free_fn *const ways[] = {twice, twice, inside, inside_pages, foreign,
		wrong_cache, wrong_order, wrong_call, wrong_run};
	unsigned choice = take8(input) % (sizeof(ways) / sizeof(ways[0]));

	/* Told at once from here on, to the program's end. */
	hosted_interrupt_later(0, NULL, NULL);
	if (!api_is_exact)
		dolmen_exact(true);
	api_is_exact = true;
	uint64_t free_pages_before = numa_free_pages(NUMA_NO_NODE), in_use = objects_in_use();
	unsigned before = machine_reports();

	if (!ways[choice](input))
		return;
	REQUIRE(machine_reports() == before + 1, "wrong free %u: %u reports", choice,
		machine_reports() - before);
	REQUIRE(numa_free_pages(NUMA_NO_NODE) == free_pages_before, "wrong free %u moved pages",
		choice);
	REQUIRE(objects_in_use() == in_use, "wrong free %u moved objects", choice);
}
