#include "mm/range.h"
#include "test/contract.h"

static struct srat srat;

CONTRACT("two domains that claim one usable page are refused, and accepted where no memory is",
	"advance forgets the end of the other node's entries")
{
	const struct pfn_range in[] = {{0x100, 0x200, 0}, {0x300, 0x400, 0}};
	struct pfn_range out[8];
	struct range_nodes nodes;

	srat.nr_nodes = 3;
	srat.nr_memory = 3;
	srat.memory[0] = (struct srat_memory){.first_byte = 0, .last_byte = 0x1fffff, .nid = 2};
	srat.memory[1] =
		(struct srat_memory){.first_byte = 0x200000, .last_byte = 0x3fffff, .nid = 0};
	/* Ends before the memory of node 0 does: the entry that ends last is not enough to know. */
	srat.memory[2] =
		(struct srat_memory){.first_byte = 0x200000, .last_byte = 0x2fffff, .nid = 1};
	enum acpi_verdict verdict = range_assign(in, 2, &srat, out, 8, &nodes);
	CHECK(verdict == ACPI_USABLE, "%s, but there is no memory", acpi_verdict_text(verdict));
	CHECK(nodes.nr_ranges == 2 && out[0].nid == 2 && out[1].nid == 0, "wrong nodes");

	srat.memory[2].last_byte = 0x300000; /* one byte, the first of a page */
	verdict = range_assign(in, 2, &srat, out, 8, &nodes);
	CHECK(verdict == SRAT_OVERLAP, "%s", acpi_verdict_text(verdict));

	srat.memory[2].nid = 0;
	verdict = range_assign(in, 2, &srat, out, 8, &nodes);
	CHECK(verdict == ACPI_USABLE, "one domain twice: %s", acpi_verdict_text(verdict));
}
