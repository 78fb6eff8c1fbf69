#include "mm/srat.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

static struct srat srat;

CONTRACT("an SRAT entry of length 0 ends the table, not the boot",
	"acpi_next steps by a length of 0 for ever")
{
	begin_srat(3);
	put_srat_memory(0, 0, 0x100000, 1);
	uint32_t second = table.size_bytes;
	put_srat_memory(1, 0x100000, 0x100000, 1);
	for (unsigned length = 0; length < 40; length++) {
		table.bytes[second + 1] = (uint8_t)length;
		end_table();
		enum acpi_verdict verdict = srat_parse(table.bytes, table.size_bytes, &srat);
		CHECK(verdict == (length < 2 ? SRAT_ENTRY_LENGTH : SRAT_MEMORY_SHORT),
			"length %u: %s", length, acpi_verdict_text(verdict));
		CHECK(!srat.nr_nodes && !srat.nr_memory, "length %u left nodes", length);
	}
}
