#include "mm/srat.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

static struct srat srat;

CONTRACT("what a disabled SRAT entry says is never looked at",
	"decode_memory checks the range before the flag")
{
	uint32_t id = 5;
	uint8_t nid;

	begin_srat(3);
	put_srat_memory(4, 0, 0x100000, 1);
	put_srat_memory(0xdeadbeef, UINT64_MAX, UINT64_MAX, 0xfffffffe);
	put_srat_x2apic(5, 77, 0xfffffffe);
	end_table();
	enum acpi_verdict verdict = srat_parse(table.bytes, table.size_bytes, &srat);
	CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
	CHECK(srat.nr_nodes == 1 && srat.pxm[0] == 4, "%u nodes", srat.nr_nodes);
	CHECK(srat.nr_memory == 1 && !srat.nr_cpu_entries, "%u ranges", srat.nr_memory);
	srat_cpu_nodes(table.bytes, table.size_bytes, &srat, &id, 1, &nid);
	CHECK(nid == SRAT_NO_NODE, "CPU on node %u", nid);
}
