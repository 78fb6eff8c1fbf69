#include "mm/srat.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

static struct srat srat;

CONTRACT("of several SRAT entries for one CPU the last wins; ids that name no CPU are ignored",
	"srat_cpu_nodes stops at the first entry")
{
	static const uint32_t ids[] = {5, UINT32_MAX};
	uint8_t nids[2];

	begin_srat(3);
	put_srat_memory(0, 0, 0x100000, 1);
	put_srat_memory(1, 0x100000, 0x100000, 1);
	put_srat_x2apic(5, 0, 1);
	put_srat_x2apic(UINT32_MAX, 9, 1);
	put_srat_x2apic(5, 1, 1);
	end_table();
	srat_parse(table.bytes, table.size_bytes, &srat);
	CHECK(srat.nr_nodes == 2, "%u nodes", srat.nr_nodes);
	srat_cpu_nodes(table.bytes, table.size_bytes, &srat, ids, 2, nids);
	CHECK(nids[0] == 1, "node %u", nids[0]);
	CHECK(nids[1] == SRAT_NO_NODE, "broadcast has a node");
}
