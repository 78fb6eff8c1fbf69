#include "mm/range.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

static struct srat srat;

/* Three entries that start alike, in one of their six orders, and some that must change nothing. */
static void make_table(unsigned order)
{
	static const uint64_t sizes[] = {0x8000, 0x10000, 0x20000};
	unsigned first = order % 3, second = (first + 1 + order / 3) % 3;

	begin_srat(3);
	put_srat_memory(7, 0x10000, sizes[first], 1);
	put_srat_memory(7, 0x10000, sizes[second], 1);
	put_srat_memory(7, 0x10000, sizes[3 - first - second], 1);
	put_srat_memory(7, 0x18000, 0x1000, 1);
	put_srat_memory(9, 0x30000, 0x10000, 1);
	put_srat_memory(9, 0x31000, 0, 1);
	put_srat_memory(9, 0x32000, UINT64_MAX, 1);
	end_table();
}

CONTRACT("entries of a domain that start alike or lie within each other count as the largest of "
	 "them",
	"compare_memory looks at the first byte alone")
{
	const struct pfn_range in = {0x10, 0x40, 0};
	struct pfn_range out[8];
	struct range_nodes nodes;

	for (unsigned order = 0; order < 6; order++) {
		make_table(order);
		enum acpi_verdict verdict = srat_parse(table.bytes, table.size_bytes, &srat);
		CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
		CHECK(srat.nr_memory == 5, "%u ranges: one is empty, one passes 2^64",
			srat.nr_memory);
		for (unsigned i = 1; i < 3; i++)
			CHECK(srat.memory[i].last_byte > srat.memory[i - 1].last_byte,
				"range %u ends at 0x%lx", i, srat.memory[i].last_byte);
		verdict = range_assign(&in, 1, &srat, out, 8, &nodes);
		CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
		CHECK(nodes.nr_ranges == 2 && !nodes.nr_uncovered_pages, "%u ranges",
			nodes.nr_ranges);
		CHECK(out[0].end_pfn == 0x30 && out[0].nid == 0 && out[1].nid == 1, "cut at 0x%lx",
			out[0].end_pfn);
	}
	CHECK(acpi_verdict_text(NR_ACPI_VERDICTS), "a verdict that does not exist has no text");
}
