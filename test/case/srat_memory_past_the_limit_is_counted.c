#define ACPI_BYTES_MAX 48000
#include "mm/srat.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

static struct srat srat;

_Static_assert(48 + 40 * (DOLMEN_MAX_RANGES + 1) <= ACPI_BYTES_MAX, "the table fits its buffer");

CONTRACT("one SRAT memory entry past the limit is ignored and counted",
	"add_memory writes behind the last range")
{
	begin_srat(3);
	for (uint64_t i = 0; i <= DOLMEN_MAX_RANGES; i++)
		put_srat_memory(0, i * 0x2000, 0x1000, 1);
	end_table();
	enum acpi_verdict verdict = srat_parse(table.bytes, table.size_bytes, &srat);
	CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
	CHECK(srat.nr_memory == DOLMEN_MAX_RANGES, "%u ranges", srat.nr_memory);
	CHECK(srat.nr_ignored_memory == 1, "%u ignored", srat.nr_ignored_memory);
	CHECK(srat.nr_memory_entries == DOLMEN_MAX_RANGES + 1, "%u entries",
		srat.nr_memory_entries);
}
