/*
 * Runs patterns of traffic: see traffic.h.
 */
#include "bench/traffic.h"

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include <dolmen/page.h>
#include "bench/machine.h"
#include "bench/report.h"
#include "lib/printf.h"
#include "mm/memmap.h"
#include "mm/slab.h"

#define WARM_UP	   8  /* windows before those that count */
#define GOAL_TIMES 15 /* tenths: what a call may cost, in costs of one CPU alone */

struct watched {
	struct traffic *traffic;
	const struct work *work;
};

static struct kmem_cache *cache_of(unsigned bytes)
{
	return kmalloc_caches[kmalloc_class(bytes)][0];
}

SIZED_LOOP(alloc_each, objects[i] = kmalloc(bytes, GFP_KERNEL))
LOOP(free_each, kfree(objects[i]))

static void alloc_bulk(void **objects, const uint32_t *sizes, unsigned nr)
{
	for (unsigned i = 0; i < nr; i += TRAFFIC_BULK)
		kmem_cache_alloc_bulk(cache_of(sizes[0]), GFP_KERNEL,
			nr - i < TRAFFIC_BULK ? nr - i : TRAFFIC_BULK, objects + i);
}

static void free_bulk(void **objects, const uint32_t *sizes, unsigned nr)
{
	(void)sizes;
	for (unsigned i = 0; i < nr; i += TRAFFIC_BULK)
		kfree_bulk(nr - i < TRAFFIC_BULK ? nr - i : TRAFFIC_BULK, objects + i);
}

/* ---- watched, call by call ---- */

/* Runs the loop a call at a time; returns the objects of fast ones. */
static uint64_t watch(const struct work *work, bool alloc)
{
	uint64_t fast = 0;

	for (unsigned i = 0; i < work->nr; i += work->each) {
		unsigned nr = work->nr - i < work->each ? work->nr - i : work->each;
		struct kmem_cache *cache = cache_of(work->sizes[i]);
		uint64_t before = sheaf_objects(cache);

		work->loop(&work->objects[i], &work->sizes[i], nr);
		if (sheaf_objects(cache) == (alloc ? before - nr : before + nr))
			fast += nr;
	}
	return fast;
}

static void watch_allocs(void *arg)
{
	struct watched *watched = arg;
	struct traffic *traffic = watched->traffic;
	uint64_t word;

	traffic->fast_allocs += watch(watched->work, true);
	for (unsigned i = 0; i < watched->work->nr; i++) {
		object_page(watched->work->objects[i], &word);
		traffic->elsewhere += page_node(word) != cpu_to_mem(port_cpu());
	}
	uint64_t pages = measure_pages() - traffic->pages_before;
	traffic->pages_most = pages > traffic->pages_most ? pages : traffic->pages_most;
}

static void watch_frees(void *arg)
{
	struct watched *watched = arg;

	watched->traffic->fast_frees += watch(watched->work, false);
}

/* ---- calls of a round ---- */

static struct work work_of(const struct traffic *traffic, bool alloc, void **objects,
	const uint32_t *sizes, unsigned nr)
{
	if (traffic->bulk)
		return (struct work){
			alloc ? alloc_bulk : free_bulk, objects, sizes, nr, TRAFFIC_BULK};
	return (struct work){alloc ? alloc_each : free_each, objects, sizes, nr, 1};
}

void traffic_alloc(
	struct traffic *traffic, unsigned cpu, void **objects, const uint32_t *sizes, unsigned nr)
{
	struct work work = work_of(traffic, true, objects, sizes, nr);
	struct watched watched = {traffic, &work};

	traffic->allocs += nr;
	if (traffic->pass == WATCHED)
		machine_ticks_on(cpu, watch_allocs, &watched);
	else
		measure_alloc(&traffic->alloc, traffic->pass == ALONE ? 0 : cpu, work);
}

void traffic_free(
	struct traffic *traffic, unsigned cpu, void **objects, const uint32_t *sizes, unsigned nr)
{
	struct work work = work_of(traffic, false, objects, sizes, nr);
	struct watched watched = {traffic, &work};

	traffic->frees += nr;
	if (traffic->pass == WATCHED)
		machine_ticks_on(cpu, watch_frees, &watched);
	else
		measure_free(&traffic->free, traffic->pass == ALONE ? 0 : cpu, work);
}

/* ---- a pattern ---- */

static uint64_t trades_of(struct kmem_cache_node *node)
{
	uint64_t sum = 0;

	for (unsigned i = 0; node && i < port_load(&node->kn_nr_barns); i++)
		sum += port_load(&node->kn_barn[i].bn_trades);
	return sum;
}

static uint64_t trades(void)
{
	uint64_t sum = 0;

	for (unsigned class = 0; class < NR_KMALLOC_CLASSES; class ++)
		for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
			sum += trades_of(kmalloc_caches[class][0]->kc_node[nid]);
	return sum;
}

static struct traffic run_pass(
	const struct pattern *pattern, enum traffic_pass pass, struct costs *costs)
{
	struct traffic traffic = {
		.pass = pass, .nr_cpus = machine_nr_online(), .bulk = pattern->bulk};

	costs->nr = 0;
	random_begin();
	dolmen_drain_all();
	traffic.pages_before = measure_pages();
	for (unsigned round = 0; round < measure_windows() + WARM_UP; round++) {
		if (round == WARM_UP)
			traffic = (struct traffic){.pass = pass,
				.nr_cpus = traffic.nr_cpus,
				.bulk = traffic.bulk,
				.pages_before = traffic.pages_before,
				.trades = trades()};
		traffic.alloc = traffic.free = (struct cost){0};
		pattern->round(&traffic, pattern, round);
		if (round >= WARM_UP)
			measure_window(costs, traffic.alloc, traffic.free);
	}
	traffic.trades = trades() - traffic.trades;
	struct traffic result = traffic;

	if (pattern->end)
		pattern->end(&traffic, pattern);
	return result;
}

static struct goal goal_of(struct cost *alone, unsigned nr)
{
	return (struct goal){measure_figure(alone, nr).median * GOAL_TIMES / 10, NO_LIMIT};
}

/* Hundredths of a per cent. */
static unsigned share(uint64_t part, uint64_t whole)
{
	return (unsigned)(part * 10000 / (whole ? whole : 1));
}

void traffic_run(const struct pattern *pattern)
{
	static struct costs costs, alone;
	char note[200], json[200], memory[16], wanted[32] = "";
	struct goal alloc_goal = {0}, free_goal = {0};

	if (!pattern->single) {
		run_pass(pattern, ALONE, &alone);
		alloc_goal = goal_of(alone.alloc, alone.nr);
		free_goal = goal_of(alone.free, alone.nr);
	}
	struct traffic watched = run_pass(pattern, WATCHED, &costs),
		       traffic = run_pass(pattern, COUNTED, &costs);
	unsigned alloc = share(watched.fast_allocs, watched.allocs),
		 free = share(watched.fast_frees, watched.frees),
		 traded = share(traffic.trades, traffic.allocs);
	unsigned slow = 10000 - (alloc < free ? alloc : free),
		 may = 10000 - pattern->fast_goal * 10;

	if (pattern->fast_goal)
		format_text(wanted, sizeof(wanted), " of %u.%u %% %s", pattern->fast_goal / 10,
			pattern->fast_goal % 10, report_verdict(slow, (struct goal){may, may}));
	format_text(note, sizeof(note),
		"fast %u.%02u + %u.%02u %%%s; %lu of %lu of other nodes; %u.%04u trades each; %s",
		alloc / 100, alloc % 100, free / 100, free % 100, wanted, watched.elsewhere,
		watched.allocs, traded / 10000, traded % 10000,
		format_bytes(memory, sizeof(memory), watched.pages_most * PAGE_SIZE));
	format_text(json, sizeof(json),
		", \"fast_alloc\": %u.%02u, \"fast_free\": %u.%02u, \"elsewhere\": %lu, "
		"\"trades\": %u.%04u, \"bytes\": %lu",
		alloc / 100, alloc % 100, free / 100, free % 100, watched.elsewhere, traded / 10000,
		traded % 10000, watched.pages_most * PAGE_SIZE);
	report_costs(pattern->id, &costs, alloc_goal, free_goal, note, json);
}

void traffic_rows(const char *workload, const struct pattern *patterns, unsigned nr)
{
	if (!report_workload(workload, "traffic", 16, 4))
		return;
	for (unsigned i = 0; i < nr; i++) {
		if (!report_wants(patterns[i].id))
			continue;
		if (patterns[i].bytes)
			sizes_equal(patterns[i].bytes, MAX_OBJECTS);
		traffic_run(&patterns[i]);
	}
}
