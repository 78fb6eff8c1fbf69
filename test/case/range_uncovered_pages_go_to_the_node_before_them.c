#include "mm/range.h"
#include "test/contract.h"

static struct srat srat;

CONTRACT("pages that no domain covers go to the node that ends before them, else to the first",
	"cut_range leaves uncovered pages out")
{
	const struct pfn_range in = {0, 0x100, 0};
	struct pfn_range out[8];
	struct range_nodes nodes;

	srat.nr_nodes = 2;
	srat.nr_memory = 2;
	srat.memory[0] =
		(struct srat_memory){.first_byte = 0x10000, .last_byte = 0x1ffff, .nid = 1};
	srat.memory[1] =
		(struct srat_memory){.first_byte = 0x40000, .last_byte = 0x4ffff, .nid = 0};
	enum acpi_verdict verdict = range_assign(&in, 1, &srat, out, 8, &nodes);
	CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
	CHECK(nodes.nr_ranges == 2, "%u ranges", nodes.nr_ranges);
	CHECK(out[0].start_pfn == 0 && out[0].end_pfn == 0x40 && out[0].nid == 1, "node 1");
	CHECK(out[1].end_pfn == 0x100 && out[1].nid == 0, "node 0");
	CHECK(nodes.nr_uncovered_pages == 0x10 + 0x20 + 0xb0, "%lu", nodes.nr_uncovered_pages);

	srat.memory[0].first_byte += 1ul << 40;
	srat.memory[0].last_byte += 1ul << 40;
	srat.nr_memory = 1;
	verdict = range_assign(&in, 1, &srat, out, 8, &nodes);
	CHECK(verdict == SRAT_MEMORY_NOWHERE, "%s", acpi_verdict_text(verdict));
}
