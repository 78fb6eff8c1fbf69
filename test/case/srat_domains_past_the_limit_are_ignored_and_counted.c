#include "mm/srat.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

static struct srat srat;

CONTRACT("one proximity domain past the limit is ignored and its entries counted",
	"add_domain writes behind the last node")
{
	uint32_t id = 1;
	uint8_t nid;

	/* The largest domain comes first, so that it has to make room for the smaller ones. */
	begin_srat(3);
	for (uint32_t i = 0; i <= DOLMEN_MAX_NODES; i++)
		put_srat_memory(1000 - i, i * 0x100000ul, 0x100000, 1);
	put_srat_x2apic(1, 1000, 1);
	end_table();
	enum acpi_verdict verdict = srat_parse(table.bytes, table.size_bytes, &srat);
	CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
	CHECK(srat.nr_nodes == DOLMEN_MAX_NODES, "%u nodes", srat.nr_nodes);
	CHECK(srat.pxm[0] == 1000 - DOLMEN_MAX_NODES && srat.pxm[DOLMEN_MAX_NODES - 1] == 999,
		"nodes are domains %u to %u", srat.pxm[0], srat.pxm[DOLMEN_MAX_NODES - 1]);
	CHECK(srat.nr_ignored_entries == 2, "%u entries ignored", srat.nr_ignored_entries);
	CHECK(srat.nr_memory == DOLMEN_MAX_NODES, "%u ranges", srat.nr_memory);
	srat_cpu_nodes(table.bytes, table.size_bytes, &srat, &id, 1, &nid);
	CHECK(nid == SRAT_NO_NODE, "CPU on node %u", nid);
}
