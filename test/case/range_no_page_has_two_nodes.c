#include "mm/range.h"
#include "test/contract.h"

static struct srat srat;

static void add_memory(uint64_t first_byte, uint64_t last_byte, unsigned nid)
{
	srat.memory[srat.nr_memory++] =
		(struct srat_memory){first_byte, last_byte, (uint8_t)nid, false, false};
}

CONTRACT("a page that a domain's border cuts goes to the node of its first byte",
	"entry_start_pfn rounds down")
{
	const struct pfn_range in = {0x10, 0x20, 0};
	struct pfn_range out[8];
	struct range_nodes nodes;

	srat.nr_nodes = 2;
	srat.nr_memory = 0;
	add_memory(0x10000, 0x147ff, 0); /* half of page 0x14 */
	add_memory(0x14800, 0x17fff, 1);
	add_memory(0x18000, 0x18000, 0); /* one byte, the first of page 0x18 */
	add_memory(0x18001, 0x1ffff, 1);
	enum acpi_verdict verdict = range_assign(&in, 1, &srat, out, 8, &nodes);
	CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
	CHECK(nodes.nr_ranges == 4 && !nodes.nr_uncovered_pages, "%u ranges", nodes.nr_ranges);
	CHECK(out[0].end_pfn == 0x15 && out[0].nid == 0, "first half in node 0");
	CHECK(out[1].start_pfn == 0x15 && out[1].end_pfn == 0x18 && out[1].nid == 1, "node 1");
	CHECK(out[2].start_pfn == 0x18 && out[2].end_pfn == 0x19 && out[2].nid == 0, "one byte");
	CHECK(out[3].end_pfn == 0x20 && out[3].nid == 1, "the rest");
}
