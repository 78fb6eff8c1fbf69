/*
 * Counts what loops take: see measure.h.
 *
 * What an empty loop takes is a start and a step for each turn, both exact where ticks are
 * instructions: measured once, on CPU 0.
 */
#include "bench/measure.h"

#include <dolmen/init.h>
#include "bench/machine.h"
#include "bench/nothing.h"
#include "lib/sort.h"

#define SLOW_WINDOWS 5
#define SHORT_LOOP   1
#define LONG_LOOP    1001

struct empty {
	int64_t start, step;
};

void *bench_objects[MAX_OBJECTS];
uint32_t bench_sizes[MAX_OBJECTS];

static struct empty empty_alloc, empty_sized_alloc, empty_free;
static uint64_t random_state;

LOOP(loop_alloc, objects[i] = no_alloc(64, GFP_KERNEL))
SIZED_LOOP(loop_sized_alloc, objects[i] = no_alloc(bytes, GFP_KERNEL))
LOOP(loop_free, no_free(objects[i]))

static void run_work(void *arg)
{
	struct work *work = arg;

	work->loop(work->objects, work->sizes, work->nr);
}

static int64_t ticks_of(unsigned cpu, struct work work)
{
	return (int64_t)machine_ticks_on(cpu, run_work, &work);
}

static struct empty measure_empty(loop_fn *loop)
{
	struct work work = {loop, bench_objects, bench_sizes, SHORT_LOOP, 1};
	int64_t few, many;

	ticks_of(0, work); /* what only a first time takes */
	few = ticks_of(0, work);
	work.nr = LONG_LOOP;
	many = ticks_of(0, work);
	struct empty empty = {.step = (many - few) / (LONG_LOOP - SHORT_LOOP)};

	empty.start = few - SHORT_LOOP * empty.step;
	return empty;
}

void measure_begin(void)
{
	empty_alloc = measure_empty(loop_alloc);
	empty_sized_alloc = measure_empty(loop_sized_alloc);
	empty_free = measure_empty(loop_free);
}

unsigned measure_windows(void)
{
	return machine_is_slow() ? SLOW_WINDOWS : MAX_WINDOWS;
}

/* `nothing`: instructions of what the empty loop calls. */
static void add(struct cost *sum, unsigned cpu, struct work work, struct empty empty, int nothing)
{
	unsigned each = work.each ? work.each : 1, turns = (work.nr + each - 1) / each;

	sum->ticks += ticks_of(cpu, work) - empty.start;
	sum->ticks += (nothing - empty.step) * (int64_t)turns;
	sum->calls += work.nr;
}

void measure_alloc(struct cost *sum, unsigned cpu, struct work work)
{
	add(sum, cpu, work, work.sizes ? empty_sized_alloc : empty_alloc, NO_ALLOC_INSTRUCTIONS);
}

void measure_free(struct cost *sum, unsigned cpu, struct work work)
{
	add(sum, cpu, work, empty_free, NO_FREE_INSTRUCTIONS);
}

void measure_window(struct costs *costs, struct cost alloc, struct cost free)
{
	if (costs->nr == MAX_WINDOWS)
		return;
	costs->alloc[costs->nr] = alloc;
	costs->free[costs->nr++] = free;
}

static unsigned tenths(const struct cost *cost)
{
	if (cost->ticks <= 0 || !cost->calls)
		return 0;
	return (unsigned)(((uint64_t)cost->ticks * 10 + cost->calls / 2) / cost->calls);
}

static int compare_costs(const void *a, const void *b)
{
	unsigned x = tenths(a), y = tenths(b);

	return x < y ? -1 : x > y;
}

struct figure measure_figure(struct cost *windows, unsigned nr)
{
	if (!nr)
		return (struct figure){0};
	heap_sort(windows, nr, sizeof(windows[0]), compare_costs);
	return (struct figure){
		tenths(&windows[nr / 2]), tenths(&windows[0]), tenths(&windows[nr - 1])};
}

uint64_t measure_pages(void)
{
	struct dolmen_memory memory;

	dolmen_memory(&memory);
	return memory.managed - memory.free;
}

/* ---- the same numbers in every run ---- */

void random_begin(void)
{
	random_state = 88172645463325252ul;
}

unsigned random_below(unsigned limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state % limit);
}

void objects_swap(unsigned a, unsigned b)
{
	void *object = bench_objects[a];
	uint32_t bytes = bench_sizes[a];

	bench_objects[a] = bench_objects[b];
	bench_sizes[a] = bench_sizes[b];
	bench_objects[b] = object;
	bench_sizes[b] = bytes;
}

void random_shuffle(unsigned nr)
{
	for (unsigned i = nr - 1; i; i--)
		objects_swap(i, random_below(i + 1));
}

void sizes_equal(unsigned bytes, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		bench_sizes[i] = bytes;
}

void sizes_mixed(unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		bench_sizes[i] = 8 + random_below(993);
}
