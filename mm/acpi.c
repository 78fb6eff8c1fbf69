/*
 * The words for a table that is not used: see mm/acpi.h.
 */
#include "mm/acpi.h"

static const char *const texts[NR_ACPI_VERDICTS] = {
	[ACPI_USABLE] = "usable",
	[ACPI_NO_HEADER] = "shorter than a table header",
	[ACPI_BAD_SIGNATURE] = "the signature is another table's",
	[ACPI_LENGTH_SHORT] = "its length does not cover the fixed part",
	[ACPI_LENGTH_LONG] = "its length is more than the bytes present",
	[SRAT_ENTRY_LENGTH] = "an entry is shorter than its own type and length",
	[SRAT_CPU_SHORT] = "a CPU entry is too short",
	[SRAT_MEMORY_SHORT] = "a memory entry is too short",
	[SRAT_NO_MEMORY] = "no memory entry is enabled",
	[SRAT_OVERLAP] = "two domains claim the same usable page",
	[SRAT_MEMORY_NOWHERE] = "no domain has a usable page",
	[SLIT_COUNT] = "the matrix would end after the table",
	[SLIT_DIAGONAL] = "a distance from a domain to itself is not 10",
	[SLIT_REMOTE] = "a distance between two domains is 10 or less",
};

const char *acpi_verdict_text(enum acpi_verdict verdict)
{
	return (unsigned)verdict < NR_ACPI_VERDICTS ? texts[verdict] : "unknown";
}
