#include "mm/srat.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

static struct srat srat;

CONTRACT("proximity domains become nodes 0, 1, 2... by number, whatever the numbers and the order",
	"add_domain appends instead of sorting")
{
	static const uint32_t ids[] = {7, 0x12345678, 9};
	uint8_t nids[3];

	begin_srat(3);
	put_srat_memory(0xffffffff, 0x300000, 0x100000, 1);
	put_srat_x2apic(7, 0x10003, 1);
	put_srat_memory(3, 0x100000, 0x100000, 1);
	put_srat_x2apic(0x12345678, 0xffffffff, 1);
	put_srat_memory(0x10003, 0, 0x100000, 1);
	end_table();

	enum acpi_verdict verdict = srat_parse(table.bytes, table.size_bytes, &srat);
	CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
	CHECK(srat.nr_nodes == 3 && srat.pxm[0] == 3 && srat.pxm[1] == 0x10003 &&
			srat.pxm[2] == 0xffffffff,
		"%u nodes, the first %x", srat.nr_nodes, srat.pxm[0]);
	CHECK(srat.nr_memory == 3 && srat.memory[0].nid == 1 && srat.memory[1].nid == 0 &&
			srat.memory[2].nid == 2,
		"memory is not sorted, or on wrong nodes");
	srat_cpu_nodes(table.bytes, table.size_bytes, &srat, ids, 3, nids);
	CHECK(nids[0] == 1 && nids[1] == 2 && nids[2] == SRAT_NO_NODE, "CPUs on nodes %u %u %u",
		nids[0], nids[1], nids[2]);

	/* Revisions 0 and 1 have domains of 8 bits: 3 and 0x10003 are then one. */
	table.bytes[8] = 1;
	srat_parse(table.bytes, table.size_bytes, &srat);
	CHECK(srat.nr_nodes == 2 && srat.pxm[0] == 3 && srat.pxm[1] == 0xff, "revision 1");
	CHECK(srat.bad_checksum, "the change was not noticed");
}
