/*
 * SLIT: distances between proximity domains; row is from, column is to, and domain number i is row
 * and column i. All that is valid is kept: distances that differ by direction, and 255.
 */
#ifndef MM_SLIT_H
#define MM_SLIT_H

#include "mm/acpi.h"

struct slit {
	const uint8_t *matrix; /* into the table's bytes, nr_domains * nr_domains */
	uint64_t nr_domains;   /* 0: no distances */
	bool bad_checksum;     /* the table is used all the same */
};

/*
 * Fills *out. Unless the result is ACPI_USABLE, *out has no distances. The bytes must stay while
 * *out is used.
 */
enum acpi_verdict slit_parse(const void *bytes, size_t size_bytes, struct slit *out);

/* The same of a matrix that the host made; NULL has no distances. */
enum acpi_verdict slit_of_matrix(const uint8_t *matrix, unsigned nr_domains, struct slit *out);

/*
 * As the table says, or 10 to itself and 20 to others where it does not. `slit` may be zeroed: all
 * such.
 */
unsigned slit_distance(const struct slit *slit, uint32_t from_pxm, uint32_t to_pxm);

#endif
