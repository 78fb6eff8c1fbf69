/*
 * One kind of call at a time: a hot pair, or many objects out and then back in some order, which
 * may happen on another CPU or node. The rows of the table that sets the goals, and those between.
 */
#include <dolmen/numa.h>
#include <dolmen/page.h>
#include "bench/machine.h"
#include "bench/report.h"
#include "bench/workloads.h"

#define HOT	 200 /* pairs in a window of a row that holds one object */
#define HOT_SLOW 10  /* the same where counting is slow */
#define BULK	 64
#define FEW	 32
#define WARM_UP	 40 /* windows before those that count: limits that adapt settle */
#define MANY	 1000
#define MOST	 10000

enum order { FIFO, LIFO, AT_RANDOM };
enum where { HERE, OTHER_CPU, OTHER_NODE };

struct row {
	const char *id;
	unsigned bytes;	  /* what the calls get */
	unsigned objects; /* out at a time; 1: hot */
	enum order order; /* in which they are freed */
	enum where frees;
	loop_fn *alloc, *free;
	unsigned alloc_goal, free_goal;
	unsigned alloc_limit, free_limit; /* what fails; 0: the goal */
};

static struct kmem_cache *hot_cache;
static int far_node; /* another node than this CPU's, or this one's if there is no other */

#define ALLOC_CONST(bytes_) LOOP(alloc_##bytes_, objects[i] = kmalloc(bytes_, GFP_KERNEL))
ALLOC_CONST(8)
ALLOC_CONST(64)
ALLOC_CONST(256)
ALLOC_CONST(1024)
ALLOC_CONST(4096)
SIZED_LOOP(alloc_var, objects[i] = kmalloc(bytes, GFP_KERNEL))
LOOP(alloc_zeroed, objects[i] = kzalloc(64, GFP_KERNEL))
LOOP(alloc_cache, objects[i] = kmem_cache_alloc(hot_cache, GFP_KERNEL))
SIZED_LOOP(alloc_node, objects[i] = kmalloc_node(bytes, GFP_KERNEL, far_node))
LOOP(alloc_page, objects[i] = alloc_pages(GFP_KERNEL, 0))
LOOP(alloc_page3, objects[i] = alloc_pages(GFP_KERNEL, 3))
LOOP(free_object, kfree(objects[i]))
LOOP(free_cache, kmem_cache_free(hot_cache, objects[i]))
LOOP(free_page, __free_pages(objects[i], 0))
LOOP(free_page3, __free_pages(objects[i], 3))

/* Many in one call. */
static void alloc_bulk(void **objects, const uint32_t *sizes, unsigned nr)
{
	(void)sizes;
	for (unsigned i = 0; i < nr; i += BULK)
		kmem_cache_alloc_bulk(
			hot_cache, GFP_KERNEL, nr - i < BULK ? nr - i : BULK, objects + i);
}

static void free_bulk(void **objects, const uint32_t *sizes, unsigned nr)
{
	(void)sizes;
	for (unsigned i = 0; i < nr; i += BULK)
		kmem_cache_free_bulk(hot_cache, nr - i < BULK ? nr - i : BULK, objects + i);
}

static const struct row rows[] = {
	{"hot-const-8", 8, 1, FIFO, HERE, alloc_8, free_object, 14, 26, 0, 0},
	{"hot-const-64", 64, 1, FIFO, HERE, alloc_64, free_object, 14, 26, 0, 0},
	{"hot-const-256", 256, 1, FIFO, HERE, alloc_256, free_object, 14, 26, 0, 0},
	{"hot-const-1024", 1024, 1, FIFO, HERE, alloc_1024, free_object, 14, 26, 0, 0},
	{"hot-const-4096", 4096, 1, FIFO, HERE, alloc_4096, free_object, 14, 26, 0, 0},
	{"hot-var-8", 8, 1, FIFO, HERE, alloc_var, free_object, 20, 26, 0, 0},
	{"hot-var-64", 64, 1, FIFO, HERE, alloc_var, free_object, 20, 26, 0, 0},
	{"hot-var-256", 256, 1, FIFO, HERE, alloc_var, free_object, 20, 26, 0, 0},
	{"hot-var-1024", 1024, 1, FIFO, HERE, alloc_var, free_object, 20, 26, 0, 0},
	{"hot-var-4096", 4096, 1, FIFO, HERE, alloc_var, free_object, 20, 26, 0, 0},
	{"hot-var-8192", 8192, 1, FIFO, HERE, alloc_var, free_object, 20, 26, 0, 0},
	{"hot-cache", 64, 1, FIFO, HERE, alloc_cache, free_cache, 13, 26, 0, 30},
	{"kzalloc-64", 64, 1, FIFO, HERE, alloc_zeroed, free_object, 30, 26, 0, 0},
	{"fifo-64-32", 64, FEW, FIFO, HERE, alloc_var, free_object, 22, 36, 0, 0},
	{"lifo-64-32", 64, FEW, LIFO, HERE, alloc_var, free_object, 22, 36, 0, 0},
	{"random-64-32", 64, FEW, AT_RANDOM, HERE, alloc_var, free_object, 22, 45, 0, 0},
	{"fifo-64", 64, MANY, FIFO, HERE, alloc_var, free_object, 22, 36, 0, 0},
	{"fifo-4096", 4096, MANY, FIFO, HERE, alloc_var, free_object, 60, 110, 210, 210},
	{"lifo-64", 64, MANY, LIFO, HERE, alloc_var, free_object, 22, 36, 0, 0},
	{"random-64", 64, MANY, AT_RANDOM, HERE, alloc_var, free_object, 22, 45, 0, 0},
	{"random-256", 256, MANY, AT_RANDOM, HERE, alloc_var, free_object, 30, 60, 0, 0},
	{"random-1024", 1024, MANY, AT_RANDOM, HERE, alloc_var, free_object, 45, 95, 65, 120},
	{"random-4096", 4096, MANY, AT_RANDOM, HERE, alloc_var, free_object, 60, 110, 180, 235},
	{"fifo-64-10k", 64, MOST, FIFO, HERE, alloc_var, free_object, 28, 80, 0, 0},
	{"lifo-64-10k", 64, MOST, LIFO, HERE, alloc_var, free_object, 28, 80, 0, 0},
	{"random-64-10k", 64, MOST, AT_RANDOM, HERE, alloc_var, free_object, 28, 80, 0, 0},
	{"remote-fifo-64", 64, MANY, FIFO, OTHER_CPU, alloc_var, free_object, 25, 38, 0, 0},
	{"remote-random-256", 256, MANY, AT_RANDOM, OTHER_CPU, alloc_var, free_object, 30, 60, 0,
		0},
	{"node-fifo-64", 64, MANY, FIFO, OTHER_NODE, alloc_var, free_object, 30, 45, 0, 0},
	{"kmalloc-node", 64, 1, FIFO, HERE, alloc_node, free_object, 40, 45, 0, 0},
	{"kmalloc-node-fifo", 64, MANY, FIFO, HERE, alloc_node, free_object, 40, 45, 0, 0},
	{"bulk-64", 64, BULK, FIFO, HERE, alloc_bulk, free_bulk, 5, 20, 0, 0},
	{"bulk-64-1000", 64, MANY, AT_RANDOM, HERE, alloc_bulk, free_bulk, 5, 20, 7, 33},
	{"pages-0", 4096, 1, FIFO, HERE, alloc_page, free_page, 25, 25, 0, 0},
	{"pages-3", 32768, 1, FIFO, HERE, alloc_page3, free_page3, 30, 30, 0, 0},
	{"large-16k", 16384, 1, FIFO, HERE, alloc_var, free_object, 45, 45, 0, 0},
	{"large-32k", 32768, 1, FIFO, HERE, alloc_var, free_object, 45, 45, 145, 140},
};

static unsigned freeing_cpu(enum where where)
{
	for (unsigned cpu = 1; where != HERE && cpu < numa_nr_cpus(); cpu++)
		if (machine_online(cpu) &&
			(cpu_to_mem(cpu) == cpu_to_mem(0)) == (where == OTHER_CPU))
			return cpu;
	return 0;
}

static void arrange(const struct row *row)
{
	if (row->order == AT_RANDOM)
		random_shuffle(row->objects);
	for (unsigned i = 0, j = row->objects - 1; row->order == LIFO && i < j; i++, j--)
		objects_swap(i, j);
}

static void run_window(const struct row *row, unsigned cpu, struct cost *alloc, struct cost *free)
{
	unsigned hot = machine_is_slow() ? HOT_SLOW : HOT, rounds = row->objects == 1 ? hot : 1;

	bool sized = row->alloc == alloc_var || row->alloc == alloc_node;
	const uint32_t *sizes = sized ? bench_sizes : NULL;
	unsigned each = row->alloc == alloc_bulk ? BULK : 1;

	for (unsigned i = 0; i < rounds; i++) {
		measure_alloc(alloc, 0,
			(struct work){row->alloc, bench_objects, sizes, row->objects, each});
		arrange(row);
		measure_free(free, cpu,
			(struct work){row->free, bench_objects, NULL, row->objects, each});
	}
}

static struct goal goal_of(unsigned goal, unsigned limit)
{
	return (struct goal){goal * 10, limit == NO_LIMIT ? limit : 10 * (limit ? limit : goal)};
}

static void run_row(const struct row *row)
{
	static struct costs costs;
	unsigned cpu = freeing_cpu(row->frees);

	if (row->frees != HERE && !cpu) {
		machine_print("%-20s no such CPU here\n", row->id);
		return;
	}
	costs.nr = 0;
	random_begin();
	sizes_equal(row->bytes, row->objects);
	for (unsigned i = 0; i < measure_windows() + WARM_UP; i++) {
		struct cost alloc = {0}, free = {0};

		run_window(row, cpu, &alloc, &free);
		if (i >= WARM_UP)
			measure_window(&costs, alloc, free);
	}
	report_costs(row->id, &costs, goal_of(row->alloc_goal, row->alloc_limit),
		goal_of(row->free_goal, row->free_limit), NULL, NULL);
}

void calls_run(void)
{
	if (!report_workload("calls", "single", 1, 1))
		return;
	hot_cache = kmem_cache_create("bench", 64, 0, 0, NULL);
	if (!hot_cache) {
		machine_print("calls: no memory for a cache\n");
		return;
	}
	far_node = freeing_cpu(OTHER_NODE) ? (int)cpu_to_mem(freeing_cpu(OTHER_NODE)) : 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (report_wants(rows[i].id))
			run_row(&rows[i]);
	kmem_cache_destroy(hot_cache);
}
