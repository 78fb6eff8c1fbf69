/*
 * SLIT parser: see mm/slit.h. The matrix stays where it is, for its size is the table's and not
 * ours to bound.
 */
#include "mm/slit.h"

#include <dolmen/numa.h>
#include "mm/acpi_table.h"

#define FIXED_BYTES 44

static enum acpi_verdict check_matrix(const struct slit *slit)
{
	for (uint64_t from = 0; from < slit->nr_domains; from++) {
		for (uint64_t to = 0; to < slit->nr_domains; to++) {
			unsigned distance = slit->matrix[from * slit->nr_domains + to];

			if (from == to && distance != LOCAL_DISTANCE)
				return SLIT_DIAGONAL;
			if (from != to && distance <= LOCAL_DISTANCE)
				return SLIT_REMOTE;
		}
	}
	return ACPI_USABLE;
}

static enum acpi_verdict take_matrix(struct slit slit, struct slit *out)
{
	enum acpi_verdict verdict = check_matrix(&slit);

	if (verdict == ACPI_USABLE)
		*out = slit;
	return verdict;
}

enum acpi_verdict slit_parse(const void *bytes, size_t size_bytes, struct slit *out)
{
	struct acpi_table table;

	memset(out, 0, sizeof(*out));
	enum acpi_verdict verdict = acpi_open(bytes, size_bytes, "SLIT", FIXED_BYTES, &table);
	if (verdict != ACPI_USABLE)
		return verdict;

	/*
	 * Divide: the square of a count that firmware made up may pass 2^64. Bytes after the matrix
	 * are padding.
	 */
	uint64_t nr_domains = acpi_load64(table.bytes + ACPI_HEADER_BYTES);
	if (nr_domains && nr_domains > (table.size_bytes - FIXED_BYTES) / nr_domains)
		return SLIT_COUNT;

	return take_matrix(
		(struct slit){
			.matrix = table.bytes + FIXED_BYTES,
			.nr_domains = nr_domains,
			.bad_checksum = table.bad_checksum,
		},
		out);
}

enum acpi_verdict slit_of_matrix(const uint8_t *matrix, unsigned nr_domains, struct slit *out)
{
	memset(out, 0, sizeof(*out));
	if (!matrix)
		return ACPI_USABLE;
	return take_matrix((struct slit){.matrix = matrix, .nr_domains = nr_domains}, out);
}

unsigned slit_distance(const struct slit *slit, uint32_t from_pxm, uint32_t to_pxm)
{
	if (from_pxm == to_pxm)
		return LOCAL_DISTANCE;
	if (from_pxm >= slit->nr_domains || to_pxm >= slit->nr_domains)
		return REMOTE_DISTANCE;
	return slit->matrix[from_pxm * slit->nr_domains + to_pxm];
}
