/*
 * See tables.h.
 */
#include "test/fuzz/tables.h"

#include <stdlib.h>
#include <string.h>

uint64_t number_at(const uint8_t *at, unsigned size_bytes)
{
	uint64_t value = 0;

	while (size_bytes--)
		value = value << 8 | at[size_bytes];
	return value;
}

static unsigned judge_header(const struct table *table, const char *signature, size_t fixed_bytes)
{
	if (table->size_bytes < 36)
		return ACPI_NO_HEADER;
	for (unsigned i = 0; i < 4; i++)
		if (table->bytes[i] != (uint8_t)signature[i])
			return ACPI_BAD_SIGNATURE;
	if (table->length < fixed_bytes)
		return ACPI_LENGTH_SHORT;
	return table->length > table->size_bytes ? ACPI_LENGTH_LONG : ACPI_USABLE;
}

static void find_entries(struct table *table, size_t offset)
{
	table->nr_entries = 0;
	table->ending = ENDS_WELL;
	while (table->opens == ACPI_USABLE && offset + 2 <= table->length) {
		const uint8_t *at = table->bytes + offset;
		struct entry entry = {.at = at, .type = at[0], .size = at[1]};

		offset += entry.size;
		if (entry.size < 2 || offset > table->length) {
			table->ending = entry.size < 2 ? ENDS_WITHOUT_LENGTH : ENDS_CUT;
			return;
		}
		REQUIRE(table->nr_entries < MAX_ENTRIES, "the input is too long");
		table->entries[table->nr_entries++] = entry;
	}
}

struct table *table_make(
	const uint8_t *bytes, size_t size_bytes, const char *signature, size_t fixed_bytes)
{
	static struct table table;
	unsigned help = size_bytes ? bytes[0] : 0;
	uint8_t *at;

	table.size_bytes = size_bytes ? size_bytes - 1 : 0;
	table.bytes = at = exact_copy(bytes + !!size_bytes, table.size_bytes);
	if (table.size_bytes >= 36) {
		if (help & 1)
			memcpy(at, signature, 4);
		if (help & 2)
			for (unsigned i = 0; i < 4; i++)
				at[4 + i] = (uint8_t)(table.size_bytes >> 8 * i);
		table.length = number_at(at + 4, 4);
		table.version = at[8];
	}
	table.opens = judge_header(&table, signature, fixed_bytes);
	table.sum = 0;
	for (size_t i = 0; table.opens == ACPI_USABLE && i < table.length; i++)
		table.sum += at[i];
	if (table.opens == ACPI_USABLE && help & 4) {
		at[9] = (uint8_t)(at[9] - table.sum);
		table.sum = 0;
	}
	table.sum %= 256;
	find_entries(&table, fixed_bytes);
	return &table;
}

void table_free(struct table *table)
{
	free(table->bytes);
}
