/*
 * What the fuzzers of ACPI tables share: a table out of an input, and a walk over its entries
 * that is not mm/'s.
 */
#ifndef TEST_FUZZ_TABLES_H
#define TEST_FUZZ_TABLES_H

#include "mm/acpi.h"
#include "test/fuzz/fuzz.h"

struct entry {
	const uint8_t *at;
	unsigned type, size;
};

enum ending {
	ENDS_WELL,
	ENDS_WITHOUT_LENGTH, /* an entry shorter than its own type and length */
	ENDS_CUT,	     /* an entry that passes the end */
};

#define MAX_ENTRIES 4096 /* of 2 bytes: 8 KiB, more than an input has */

struct table {
	uint8_t *bytes; /* exactly `size_bytes` of them */
	size_t size_bytes;
	size_t length;	  /* the length field, if there is one */
	unsigned opens;	  /* the verdict on the header: ACPI_USABLE and so on */
	unsigned sum;	  /* of all bytes that the length covers */
	unsigned version; /* the revision field */
	struct entry entries[MAX_ENTRIES];
	unsigned nr_entries;
	enum ending ending;
};

/*
 * The first byte of the input says what is put right in the rest: the signature (bit 0), the length
 * (bit 1), the checksum (bit 2). table_free() after use; there is one table at a time.
 */
struct table *table_make(
	const uint8_t *bytes, size_t size_bytes, const char *signature, size_t fixed_bytes);
void table_free(struct table *table);

/* Little endian. */
uint64_t number_at(const uint8_t *at, unsigned size_bytes);

#endif
