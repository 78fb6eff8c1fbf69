/*
 * Fuzzes the SLIT parser: its verdict, and every distance, against the bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "mm/slit.h"
#include "test/fuzz/tables.h"

#define FIXED_BYTES 44

static unsigned judge(const struct table *table, uint64_t *nr)
{
	if (table->opens != ACPI_USABLE)
		return table->opens;
	*nr = number_at(table->bytes + 36, 8);
	if (*nr > 65535 || *nr * *nr > table->length - FIXED_BYTES)
		return SLIT_COUNT;
	for (uint64_t i = 0; i < *nr * *nr; i++) {
		unsigned distance = table->bytes[FIXED_BYTES + i];

		if (i / *nr == i % *nr && distance != 10)
			return SLIT_DIAGONAL;
		if (i / *nr != i % *nr && distance <= 10)
			return SLIT_REMOTE;
	}
	return ACPI_USABLE;
}

/* Bit 3 of the first byte: the count is made to fit, and bit 4: so are the distances. */
static void help(struct table *table, unsigned bits)
{
	uint64_t nr = 0;

	if (table->opens != ACPI_USABLE || !(bits & 8))
		return;
	while ((nr + 1) * (nr + 1) <= table->length - FIXED_BYTES && nr < 64)
		nr++;
	memset(table->bytes + 36, 0, 8);
	table->bytes[36] = (uint8_t)nr;
	for (uint64_t i = 0; bits & 16 && i < nr * nr; i++) {
		uint8_t *distance = table->bytes + FIXED_BYTES + i;

		*distance = i / nr == i % nr ? 10 : (uint8_t)(*distance | 16);
	}
	table->sum = 0;
	for (size_t i = 0; i < table->length; i++)
		table->sum += table->bytes[i];
	table->sum %= 256;
}

void fuzz_one(const uint8_t *bytes, size_t size_bytes)
{
	struct table *table = table_make(bytes, size_bytes, "SLIT", FIXED_BYTES);
	struct slit slit;
	uint64_t nr = 0;

	help(table, size_bytes ? bytes[0] : 0);
	unsigned want = judge(table, &nr);
	memset(&slit, 0xa5, sizeof(slit));
	unsigned got = slit_parse(table->bytes, table->size_bytes, &slit);
	REQUIRE(got == want, "%s, not %s", acpi_verdict_text(got), acpi_verdict_text(want));
	REQUIRE(slit.nr_domains == (got == ACPI_USABLE ? nr : 0), "%lu domains", slit.nr_domains);
	REQUIRE(got || slit.bad_checksum == !!table->sum, "bad checksum: %d", slit.bad_checksum);
	for (uint32_t from = 0; from <= slit.nr_domains; from++) {
		for (uint32_t to = 0; to <= slit.nr_domains; to++) {
			unsigned distance = from == to ? 10 : 20;

			if (from < slit.nr_domains && to < slit.nr_domains)
				distance = table->bytes[FIXED_BYTES + from * nr + to];
			REQUIRE(slit_distance(&slit, from, to) == distance, "%u to %u: %u", from,
				to, slit_distance(&slit, from, to));
		}
	}
	REQUIRE(slit_distance(&slit, UINT32_MAX, 0) == 20, "a domain that is not there");
	/* The same matrix, said by the host, is the same. */
	if (got == ACPI_USABLE || got == SLIT_DIAGONAL || got == SLIT_REMOTE) {
		const uint8_t *matrix = table->bytes + FIXED_BYTES;

		REQUIRE(slit_of_matrix(matrix, (unsigned)nr, &slit) == got, "another verdict");
		REQUIRE(slit.nr_domains == (got ? 0 : nr), "%lu domains", slit.nr_domains);
		REQUIRE(got || slit.matrix == matrix, "another matrix");
	}
	REQUIRE(!slit_of_matrix(NULL, 7, &slit) && !slit.nr_domains, "distances out of nothing");
	table_free(table);
}
