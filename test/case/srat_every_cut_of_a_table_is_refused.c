#include "mm/srat.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

static struct srat srat;

CONTRACT("a table cut anywhere is refused; one that ends inside an entry loses that entry",
	"acpi_open believes the length field")
{
	begin_srat(3);
	put_srat_x2apic(0, 0, 1);
	put_srat_memory(0, 0, 0x100000, 1);
	put_srat_memory(1, 0x100000, 0x100000, 1);
	end_table();
	for (uint32_t size = 0; size < table.size_bytes; size++) {
		enum acpi_verdict verdict = srat_parse(table.bytes, size, &srat);
		CHECK(verdict == (size < 36 ? ACPI_NO_HEADER : ACPI_LENGTH_LONG), "%u bytes: %s",
			size, acpi_verdict_text(verdict));
		CHECK(!srat.nr_nodes, "%u bytes left nodes", size);
	}

	uint32_t whole = table.size_bytes;
	for (uint32_t size = whole - 38; size < whole; size++) {
		table.size_bytes = size;
		end_table();
		enum acpi_verdict verdict = srat_parse(table.bytes, whole, &srat);
		CHECK(verdict == ACPI_USABLE, "length %u: %s", size, acpi_verdict_text(verdict));
		CHECK(srat.truncated && srat.nr_nodes == 1 && srat.nr_memory == 1,
			"length %u: %u nodes", size, srat.nr_nodes);
	}
}
