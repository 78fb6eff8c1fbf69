#include "mm/slit.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

CONTRACT("distances that differ by direction are kept, 255 too; row is from, column is to",
	"slit_distance swaps from and to")
{
	static const uint8_t matrix[] = {10, 12, 255, 13, 10, 14, 21, 22, 10};
	struct slit slit;

	make_slit(3, matrix, sizeof(matrix));
	enum acpi_verdict verdict = slit_parse(table.bytes, table.size_bytes, &slit);
	CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
	for (uint32_t from = 0; from < 3; from++)
		for (uint32_t to = 0; to < 3; to++)
			CHECK(slit_distance(&slit, from, to) == matrix[3 * from + to],
				"%u to %u is %u", from, to, slit_distance(&slit, from, to));

	/* Domains that the table does not have. */
	CHECK(slit_distance(&slit, 0, 3) == 20 && slit_distance(&slit, UINT32_MAX, 1) == 20,
		"outside the table");
	CHECK(slit_distance(&slit, 77, 77) == 10, "outside the table, to itself");
}
