#include "mm/slit.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

CONTRACT("a SLIT with more domains than bytes is refused, also where the square passes 2^64",
	"slit_parse multiplies instead of dividing")
{
	static const uint8_t matrix[] = {10, 20, 20, 10, 0, 0, 0, 0};
	static const uint64_t counts[] = {
		3, 0xffff, 0xffffffff, 1ull << 32, (1ull << 32) + 2, 1ull << 63, UINT64_MAX};
	struct slit slit;

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		make_slit(counts[i], matrix, sizeof(matrix));
		enum acpi_verdict verdict = slit_parse(table.bytes, table.size_bytes, &slit);
		CHECK(verdict == SLIT_COUNT, "%lx domains: %s", counts[i],
			acpi_verdict_text(verdict));
		CHECK(!slit.nr_domains, "%lx domains kept", slit.nr_domains);
	}
	make_slit(2, matrix, sizeof(matrix));
	CHECK(slit_parse(table.bytes, table.size_bytes, &slit) == ACPI_USABLE, "padding refused");
	make_slit(0, matrix, 0);
	CHECK(slit_parse(table.bytes, table.size_bytes, &slit) == ACPI_USABLE, "no domains");
	CHECK(slit_distance(&slit, 0, 1) == 20, "no domains, no distances");
}
