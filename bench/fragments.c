/*
 * Fragments: of many objects nine in ten are freed at random; what the rest keeps from the page
 * allocator stands beside what it asked for. Then the same number of bytes is asked for again in
 * another size: what is held in the end shows whether the holes serve others.
 */
#include <dolmen/init.h>
#include <dolmen/page.h>
#include "bench/machine.h"
#include "bench/report.h"
#include "bench/workloads.h"
#include "lib/printf.h"

#define KEPT 10 /* one in so many */

static const struct {
	const char *id;
	unsigned bytes, then; /* the second size */
	unsigned nr;
} rows[] = {
	{"fragments-64", 64, 96, MAX_OBJECTS},
	{"fragments-256", 256, 192, MAX_OBJECTS},
	{"fragments-1024", 1024, 1280, MAX_OBJECTS},
	{"fragments-4096", 4096, 1024, MAX_OBJECTS / 4},
};

/* Up to `nr` of them into objects; how many. */
static unsigned fill(void **objects, unsigned bytes, unsigned nr)
{
	unsigned got = 0;

	while (got < nr && (objects[got] = kmalloc(opaque(bytes), GFP_KERNEL | __GFP_NOWARN)))
		got++;
	return got;
}

static void empty(void **objects, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		kfree(objects[i]);
}

static void run_row(size_t n)
{
	unsigned bytes = rows[n].bytes, then = rows[n].then;
	char note[160], json[96], full[16], left[16], end[16];
	uint64_t before, at_full, at_left, at_end;

	random_begin();
	dolmen_drain_all();
	before = measure_pages();
	unsigned nr = fill(bench_objects, bytes, rows[n].nr), kept = nr / KEPT;
	at_full = measure_pages() - before;
	random_shuffle(nr);
	empty(bench_objects + kept, nr - kept);
	dolmen_drain_all();
	at_left = measure_pages() - before;
	/* What was freed, up to the array's end: fewer where the second size is smaller. */
	uint64_t wanted = (uint64_t)(nr - kept) * bytes / then, room = MAX_OBJECTS - kept;
	unsigned more = fill(bench_objects + kept, then, (unsigned)(wanted < room ? wanted : room));
	at_end = measure_pages() - before;
	uint64_t live = (uint64_t)kept * bytes, all = live + (uint64_t)more * then;

	format_text(note, sizeof(note),
		"%s of %u objects; of a tenth %s; with %u of %u B %s, %lu.%02lu of what is out",
		format_bytes(full, sizeof(full), at_full * PAGE_SIZE), nr,
		format_bytes(left, sizeof(left), at_left * PAGE_SIZE), more, then,
		format_bytes(end, sizeof(end), at_end * PAGE_SIZE), at_end * PAGE_SIZE / all,
		at_end * PAGE_SIZE * 100 / all % 100);
	format_text(json, sizeof(json), ", \"refilled\": %lu.%02lu", at_end * PAGE_SIZE / all,
		at_end * PAGE_SIZE * 100 / all % 100);
	empty(bench_objects, kept + more);
	report_memory(rows[n].id, (unsigned)(at_left * PAGE_SIZE * 1000 / (live ? live : 1)), 0,
		note, json);
}

void fragments_run(void)
{
	if (!report_workload("fragments", "memory", 1, 1))
		return;
	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
		if (report_wants(rows[n].id))
			run_row(n);
}
