#include "mm/range.h"
#include "test/contract.h"

static struct srat srat;

static enum acpi_verdict assign(struct pfn_range *out, struct range_nodes *nodes)
{
	const struct pfn_range in[] = {{0x100, 0x200, 0}, {0x300, 0x400, 0}};

	return range_assign(in, 2, &srat, out, 8, nodes);
}

/*
 * Nodes 0 and 1 share what lies between the two ranges of usable pages; then one byte more, the
 * first of a page.
 */
static void check_order(uint64_t first_of_0, uint64_t first_of_1)
{
	struct srat_memory of_0 = {.first_byte = first_of_0, .last_byte = 0x3fffff, .nid = 0};
	struct srat_memory of_1 = {.first_byte = first_of_1, .last_byte = 0x2fffff, .nid = 1};
	struct pfn_range out[8];
	struct range_nodes nodes;

	for (unsigned shared = 0; shared < 2; shared++) {
		of_1.last_byte += shared;
		srat.memory[1] = first_of_0 < first_of_1 ? of_0 : of_1;
		srat.memory[2] = first_of_0 < first_of_1 ? of_1 : of_0;
		enum acpi_verdict verdict = assign(out, &nodes);
		CHECK(verdict == (shared ? SRAT_OVERLAP : ACPI_USABLE),
			"%u usable pages shared: %s", shared, acpi_verdict_text(verdict));
		if (!shared)
			CHECK(nodes.nr_ranges == 2 && out[0].nid == 2 && out[1].nid == 0,
				"wrong nodes");
	}
}

CONTRACT("two domains that claim one usable page are refused, and accepted where no memory is",
	"advance forgets the end of the other node's entries")
{
	struct pfn_range out[8];
	struct range_nodes nodes;

	srat.nr_nodes = 3;
	srat.nr_memory = 3;
	srat.memory[0] = (struct srat_memory){.first_byte = 0, .last_byte = 0x1fffff, .nid = 2};
	check_order(0x200000, 0x201000);
	check_order(0x201000, 0x200000);

	srat.memory[1].nid = srat.memory[2].nid;
	enum acpi_verdict verdict = assign(out, &nodes);
	CHECK(verdict == ACPI_USABLE, "one domain twice: %s", acpi_verdict_text(verdict));
}
