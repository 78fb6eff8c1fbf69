#include <dolmen/limits.h>
#include "mm/range.h"
#include "test/contract.h"

/*
 * Nodes change with each page, so that the ranges are one more than fit, with a last one that must
 * still get its place.
 */
#define NR_PAGES DOLMEN_MAX_RANGES

static struct srat srat;
static struct pfn_range out[DOLMEN_MAX_RANGES + 1];

CONTRACT("where nodes change more often than there is room for ranges, no page is lost",
	"add_piece leaves no place for the ranges that follow")
{
	const struct pfn_range in[] = {{0, NR_PAGES, 0}, {2 * NR_PAGES, 3 * NR_PAGES, 0}};
	struct range_nodes nodes;
	uint64_t nr_pages = 0;

	srat.nr_nodes = 2;
	srat.nr_memory = NR_PAGES;
	for (unsigned i = 0; i < NR_PAGES; i++)
		srat.memory[i] = (struct srat_memory){
			.first_byte = i * PAGE_SIZE,
			.last_byte = (i + 1) * PAGE_SIZE - 1,
			.nid = i % 2,
		};
	out[DOLMEN_MAX_RANGES].start_pfn = 42;
	enum acpi_verdict verdict = range_assign(in, 2, &srat, out, DOLMEN_MAX_RANGES, &nodes);
	CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
	CHECK(out[DOLMEN_MAX_RANGES].start_pfn == 42, "written past the limit");
	CHECK(nodes.nr_ranges == DOLMEN_MAX_RANGES, "%u ranges", nodes.nr_ranges);
	CHECK(nodes.nr_misplaced_pages == 1, "%lu misplaced", nodes.nr_misplaced_pages);
	for (unsigned i = 0; i < nodes.nr_ranges; i++)
		nr_pages += out[i].end_pfn - out[i].start_pfn;
	CHECK(nr_pages == 2 * NR_PAGES, "%lu pages", nr_pages);
}
