/*
 * What objects that are out cost: 100,000 of one size, and the pages of their slabs beside the
 * bytes asked for. The memmap of those pages, and what else went, stand in the note.
 */
#include <dolmen/init.h>
#include <dolmen/page.h>
#include "bench/machine.h"
#include "bench/report.h"
#include "bench/workloads.h"
#include "lib/printf.h"
#include "mm/memmap.h"
#include "mm/stats.h"

static const struct {
	const char *id;
	unsigned bytes;
	unsigned goal; /* bytes held for each 1000 asked for */
} rows[] = {
	{"held-8", 8, 1020},
	{"held-16", 16, 1020},
	{"held-32", 32, 1020},
	{"held-64", 64, 1020},
	{"held-128", 128, 1020},
	{"held-256", 256, 1020},
	{"held-512", 512, 1020},
	{"held-1024", 1024, 1020},
	{"held-2048", 2048, 1020},
	{"held-4096", 4096, 1020},
	{"held-8192", 8192, 1020},
	/* Between the classes: the best of the allocators compared with. */
	{"held-72", 72, 1110},
	{"held-200", 200, 1040},
	{"held-330", 330, 1020},
	{"held-600", 600, 1010},
	{"held-1100", 1100, 1010},
	{"held-1540", 1540, 1010},
};

static void run_row(const char *id, unsigned bytes, unsigned goal)
{
	static struct cache_stats stats;
	char note[160], json[128], memmap[16], other[16];
	unsigned nr = 0;
	uint64_t before;

	dolmen_drain_all();
	before = measure_pages();
	while (nr < MAX_OBJECTS &&
		(bench_objects[nr] = kmalloc(opaque(bytes), GFP_KERNEL | __GFP_NOWARN)))
		nr++;
	cache_stats(kmalloc_caches[kmalloc_class(bytes)][0], &stats);
	uint64_t used = measure_pages() - before, asked = (uint64_t)bytes * nr;
	uint64_t beside = (used - stats.pages) * PAGE_SIZE,
		 pages = stats.pages * sizeof(struct page);

	format_text(note, sizeof(note), "%u objects; of memmap %s, other pages %s", nr,
		format_bytes(memmap, sizeof(memmap), pages),
		format_bytes(other, sizeof(other), beside));
	format_text(json, sizeof(json), ", \"objects\": %u, \"memmap\": %lu, \"other\": %lu", nr,
		pages, beside);
	for (unsigned i = 0; i < nr; i++)
		kfree(bench_objects[i]);
	report_memory(id, (unsigned)(stats.pages * PAGE_SIZE * 1000 / (asked ? asked : 1)), goal,
		note, json);
}

void held_run(void)
{
	if (!report_workload("held", "memory", 1, 1))
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (report_wants(rows[i].id))
			run_row(rows[i].id, rows[i].bytes, rows[i].goal);
}
