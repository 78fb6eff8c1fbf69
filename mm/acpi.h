/*
 * What the parsers of ACPI tables share with those who call them: why a table is not used.
 *
 * The parsers (mm/srat.c, mm/slit.c, mm/madt.c) are pure functions over bytes and a length. They
 * read nothing outside, need no alignment, allocate nothing, keep no state and log nothing: the
 * caller says the one line.
 */
#ifndef MM_ACPI_H
#define MM_ACPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/names.h"

enum acpi_verdict {
	ACPI_USABLE,
	ACPI_NO_HEADER,	     /* fewer bytes than a table header */
	ACPI_BAD_SIGNATURE,  /* another table's */
	ACPI_LENGTH_SHORT,   /* the length field is below the fixed part */
	ACPI_LENGTH_LONG,    /* the length field is above the bytes present */
	SRAT_ENTRY_LENGTH,   /* an entry shorter than type and length: the next cannot be found */
	SRAT_CPU_SHORT,	     /* a CPU entry that ends before its flags or id */
	SRAT_MEMORY_SHORT,   /* a memory entry that ends before its flags */
	SRAT_NO_MEMORY,	     /* no enabled memory entry */
	SRAT_OVERLAP,	     /* a usable page in two domains: from range_assign() */
	SRAT_MEMORY_NOWHERE, /* no usable page in any domain: from range_assign() */
	SLIT_COUNT,	     /* the matrix would end after the table */
	SLIT_DIAGONAL,	     /* a distance to itself that is not 10 */
	SLIT_REMOTE,	     /* a distance to another that is 10 or less */
	NR_ACPI_VERDICTS
};

/* A few words that complete "SRAT not used: ..."; for ACPI_USABLE "usable". Never NULL. */
const char *acpi_verdict_text(enum acpi_verdict verdict);

#endif
