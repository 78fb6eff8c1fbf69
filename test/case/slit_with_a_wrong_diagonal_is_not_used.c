#include "mm/slit.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

static void check(const uint8_t *matrix, enum acpi_verdict expected)
{
	struct slit slit;

	make_slit(2, matrix, 4);
	enum acpi_verdict verdict = slit_parse(table.bytes, table.size_bytes, &slit);
	CHECK(verdict == expected, "%u %u %u %u: %s", matrix[0], matrix[1], matrix[2], matrix[3],
		acpi_verdict_text(verdict));
	if (expected != ACPI_USABLE)
		CHECK(slit_distance(&slit, 0, 1) == 20 && slit_distance(&slit, 1, 1) == 10,
			"distances of a table that is not used");
}

CONTRACT("a SLIT whose diagonal is not 10, or whose other distances are not more, is not used",
	"check_matrix stops after the first row")
{
	check((const uint8_t[]){10, 11, 11, 10}, ACPI_USABLE);
	check((const uint8_t[]){10, 20, 20, 11}, SLIT_DIAGONAL);
	check((const uint8_t[]){0, 20, 20, 10}, SLIT_DIAGONAL);
	check((const uint8_t[]){10, 20, 10, 10}, SLIT_REMOTE);
	check((const uint8_t[]){10, 0, 20, 10}, SLIT_REMOTE);
	check((const uint8_t[]){10, 10, 10, 10}, SLIT_REMOTE);
}
