/*
 * The commands that show the slab allocator: slabinfo, stats; and demo, which gives them something
 * to show.
 */
#include "kernel/console.h"

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include <dolmen/slab.h>
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/page_alloc.h"
#include "mm/slab.h"
#include "mm/stats.h"
#include "test/contract.h"

#define DEMO_OBJECTS	1000 /* on each CPU */
#define DEMO_BYTES	64
#define PARTIAL_COLUMNS 4 /* nodes told one by one */

/* "99.8 %" of whole; "-" of nothing */
static const char *share(char *buf, size_t size_bytes, uint64_t part, uint64_t whole)
{
	uint64_t tenths = whole ? part * 1000 / whole : 0;

	if (!whole)
		return "-";
	format_text(buf, size_bytes, "%lu.%lu %%", tenths / 10, tenths % 10);
	return buf;
}

/* "3+0" of a few nodes, the sum of many */
static const char *partial_list(char *buf, size_t size_bytes, const struct cache_stats *stats)
{
	size_t at = 0;

	if (numa_nr_nodes() > PARTIAL_COLUMNS) {
		format_text(buf, size_bytes, "%lu", stats->partial);
		return buf;
	}
	for (unsigned nid = 0; nid < numa_nr_nodes() && at < size_bytes; nid++)
		at += format_text(
			buf + at, size_bytes - at, at ? "+%lu" : "%lu", stats->node_partial[nid]);
	return buf;
}

struct name {
	const char *text;
	bool taken;
};

static void compare_name(struct kmem_cache *cache, void *arg)
{
	struct name *name = arg;

	name->taken |= !strcmp(cache->kc_name, name->text);
}

bool console_means_cache(const char *word, const char *name)
{
	struct name whole = {.text = word};

	if (!word || !strcmp(name, word))
		return true;
	for (unsigned n = 0; cache_visit(n, compare_name, &whole); n++)
		;
	return !whole.taken && strstr(name, word);
}

static void print_cache(const struct cache_stats *stats, bool exact)
{
	char partial[24], size[24], held[24], bound[24];

	console_print("%-16s %6u %8lu %8lu %6lu %3u %3u.%u %%%9s %4lu %8s %10s %8s\n", stats->name,
		stats->object_bytes, stats->in_use, stats->objects, stats->slabs, stats->order,
		stats->waste_permille / 10, stats->waste_permille % 10,
		partial_list(partial, sizeof(partial), stats), stats->cpu_slabs,
		console_size(held, stats->in_sheaves * stats->stride_bytes, exact),
		console_size(size, stats->pages << PAGE_SHIFT, exact),
		console_size(bound, stats->hoard_bound, exact));
}

/* Those that `word` means; with NULL, those that have slabs. How many. */
static unsigned print_caches(const char *word, bool exact)
{
	static struct cache_stats stats;
	uint64_t slabs = 0, objects = 0, in_use = 0, asked_bytes = 0, pages = 0;
	unsigned nr_shown = 0, nr_empty = 0;
	char size[24], used[12];

	console_print("%-16s %6s %8s %8s %6s %3s %7s%9s %4s %8s %10s %8s\n", "cache", "size",
		"in use", "objects", "slabs", "ord", "waste", "partial", "cpu", "sheaves", "memory",
		"bound");
	for (unsigned n = 0; cache_stats_nth(n, &stats); n++) {
		if (!console_means_cache(word, stats.name))
			continue;
		if (!word && !stats.slabs) {
			nr_empty++;
			continue;
		}
		print_cache(&stats, exact);
		nr_shown++;
		slabs += stats.slabs;
		objects += stats.objects;
		in_use += stats.in_use;
		asked_bytes += stats.in_use * stats.object_bytes;
		pages += stats.pages;
	}
	console_print("%u %s: %lu slabs, %lu of %lu objects in use, %s, %s of it in objects in use",
		nr_shown, nr_shown == 1 ? "cache" : "caches", slabs, in_use, objects,
		console_size(size, pages << PAGE_SHIFT, exact),
		share(used, sizeof(used), asked_bytes, pages << PAGE_SHIFT));
	console_print(nr_empty ? "; %u without slabs\n" : "\n", nr_empty);
	return nr_shown;
}

bool cmd_slabinfo(unsigned nr_words, char **words)
{
	bool exact = console_exact(&nr_words, words);

	if (nr_words > 2)
		return console_usage(words[0]);
	unsigned nr_shown = print_caches(words[1], exact);
	console_print(
		"partial: slabs on each node's list. cpu: slabs that CPUs hold. sheaves: free "
		"objects in\nfront of the slabs. bound: what CPUs and nodes may keep free.\n");
	return nr_shown > 0;
}

bool cmd_stats(unsigned nr_words, char **words)
{
	static struct cache_stats stats;
	uint64_t sum[NR_KEPT_STATS] = {0};
	unsigned nr_caches = 0;

	if (nr_words > 2)
		return console_usage(words[0]);
	for (unsigned n = 0; cache_stats_nth(n, &stats); n++) {
		if (!console_means_cache(words[1], stats.name))
			continue;
		nr_caches++;
		for (unsigned i = 0; i < NR_KEPT_STATS; i++)
			sum[i] += stats.stat[i];
	}
	for (unsigned i = 0; i < NR_KEPT_STATS; i++)
		console_print("%-26s %14lu\n", slab_stat_name(i), sum[i]);
	console_print("%-26s %14lu\n", "page allocations failed", page_alloc_failures());
	console_print("sums over %u caches and all CPUs since boot%s\n", nr_caches,
		NR_KEPT_STATS == NR_SLAB_STATS
			? ""
			: "; make DOLMEN_SLUB_STATS=1 counts fast paths too");
	return nr_caches > 0;
}

/* ---- demo ---- */

static void *demo_objects[DOLMEN_MAX_CPUS][DEMO_OBJECTS];
static uint32_t demo_failed;

static void demo_allocate(void *arg)
{
	void **objects = demo_objects[port_cpu()];

	(void)arg;
	for (unsigned i = 0; i < DEMO_OBJECTS; i++) {
		objects[i] = kmalloc(DEMO_BYTES, GFP_KERNEL);
		if (objects[i])
			memset(objects[i], (int)port_cpu(), DEMO_BYTES);
		else
			port_fetch_add(&demo_failed, 1u);
	}
}

/* What the next CPU allocated. */
static void demo_free(void *arg)
{
	void **objects = demo_objects[(port_cpu() + 1) % test_nr_cpus()];

	(void)arg;
	for (unsigned i = 0; i < DEMO_OBJECTS; i++)
		kfree(objects[i]);
}

bool cmd_demo(unsigned nr_words, char **words)
{
	char name[24];

	if (nr_words > 1)
		return console_usage(words[0]);
	format_text(name, sizeof(name), "kmalloc-%u", DEMO_BYTES);
	dolmen_drain_all();
	uint64_t free_before = numa_free_pages(NUMA_NO_NODE);

	demo_failed = 0;
	console_print("before:\n");
	print_caches(name, false);
	test_run_on_all(demo_allocate, NULL);
	console_print("\n%u CPUs allocated %u objects of %u bytes each:\n", test_nr_cpus(),
		DEMO_OBJECTS, DEMO_BYTES);
	print_caches(name, false);
	test_run_on_all(demo_free, NULL);
	console_print("\neach CPU freed what the next one had allocated:\n");
	print_caches(name, false);
	dolmen_drain_all();
	console_print("\nall caches drained: %lu pages free, %lu before\n",
		numa_free_pages(NUMA_NO_NODE), free_before);
	return !demo_failed;
}
