/*
 * Private to the parsers of ACPI tables: loads from unaligned bytes, the checks that every table
 * begins with, and the walk from entry to entry.
 *
 * Invariant: nothing is loaded before it is known to lie inside the table, and the table's length
 * field is not believed beyond the bytes that the caller has.
 */
#ifndef MM_ACPI_TABLE_H
#define MM_ACPI_TABLE_H

#include "lib/memory.h"
#include "mm/acpi.h"

#define ACPI_HEADER_BYTES 36
#define ACPI_ENTRY_BYTES  2 /* type and length, with which every entry begins */

struct acpi_table {
	const uint8_t *bytes;
	size_t size_bytes; /* the length field, which lies within the bytes present */
	uint8_t revision;
	bool bad_checksum;
};

struct acpi_entry {
	const uint8_t *bytes;
	uint8_t type;
	uint8_t size_bytes;
};

enum acpi_step {
	ACPI_ENTRY,	/* *entry is the next one, whole */
	ACPI_END,	/* no bytes left, or too few to be an entry */
	ACPI_TRUNCATED, /* an entry that passes the end of the table */
	ACPI_NO_LENGTH, /* an entry shorter than its own type and length */
};

static inline uint32_t acpi_load32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static inline uint64_t acpi_load64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* `fixed_bytes`: what stands before the first entry, the header included. */
static inline enum acpi_verdict acpi_open(const void *bytes, size_t size_bytes,
	const char *signature, size_t fixed_bytes, struct acpi_table *table)
{
	if (!bytes || size_bytes < ACPI_HEADER_BYTES)
		return ACPI_NO_HEADER;
	table->bytes = bytes;
	if (memcmp(table->bytes, signature, 4))
		return ACPI_BAD_SIGNATURE;
	table->size_bytes = acpi_load32(table->bytes + 4);
	if (table->size_bytes < fixed_bytes)
		return ACPI_LENGTH_SHORT;
	if (table->size_bytes > size_bytes)
		return ACPI_LENGTH_LONG;
	table->revision = table->bytes[8];

	uint8_t sum = 0;
	for (size_t i = 0; i < table->size_bytes; i++)
		sum = (uint8_t)(sum + table->bytes[i]);
	table->bad_checksum = sum;
	return ACPI_USABLE;
}

/* The entry at *offset; moves *offset past it. Each step makes progress or is the last. */
static inline enum acpi_step acpi_next(
	const struct acpi_table *table, size_t *offset, struct acpi_entry *entry)
{
	size_t left = table->size_bytes - *offset;

	if (left < ACPI_ENTRY_BYTES)
		return ACPI_END;
	entry->bytes = table->bytes + *offset;
	entry->type = entry->bytes[0];
	entry->size_bytes = entry->bytes[1];
	if (entry->size_bytes < ACPI_ENTRY_BYTES)
		return ACPI_NO_LENGTH;
	if (entry->size_bytes > left)
		return ACPI_TRUNCATED;
	*offset += entry->size_bytes;
	return ACPI_ENTRY;
}

#endif
