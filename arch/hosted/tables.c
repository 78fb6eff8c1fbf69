/*
 * SRAT and SLIT as bytes, so that the parsers of mm/ are on the way of every hosted run.
 */
#include "arch/hosted/hosted.h"

#include <string.h>

#define SRAT_FIXED_BYTES 48 /* header, and 12 reserved bytes */
#define SLIT_FIXED_BYTES 44 /* header, and the number of domains */

static void put(struct hosted_table *table, uint64_t value, unsigned bytes)
{
	if (table->size_bytes + bytes > sizeof(table->bytes))
		hosted_die("a table of more than %zu bytes", sizeof(table->bytes));
	for (; bytes--; value >>= 8)
		table->bytes[table->size_bytes++] = (unsigned char)value;
}

static void begin(struct hosted_table *table, const char *signature, size_t fixed_bytes)
{
	memset(table->bytes, 0, fixed_bytes);
	memcpy(table->bytes, signature, 4);
	table->bytes[8] = 3; /* revision */
	memcpy(table->bytes + 10, "DOLMENHOSTED", 12);
	table->size_bytes = fixed_bytes;
}

/* Length, and the checksum that makes all bytes add up to 0. */
void hosted_table_end(struct hosted_table *table)
{
	unsigned char sum = 0;

	for (unsigned i = 0; i < 4; i++)
		table->bytes[4 + i] = (unsigned char)(table->size_bytes >> 8 * i);
	table->bytes[9] = 0;
	for (size_t i = 0; i < table->size_bytes; i++)
		sum = (unsigned char)(sum + table->bytes[i]);
	table->bytes[9] = (unsigned char)-sum;
}

void hosted_srat_begin(struct hosted_table *table)
{
	begin(table, "SRAT", SRAT_FIXED_BYTES);
}

void hosted_srat_memory(
	struct hosted_table *table, uint32_t pxm, uint64_t start_bytes, uint64_t size_bytes)
{
	put(table, 1 | 40 << 8, 2);
	put(table, pxm, 4);
	put(table, 0, 2);
	put(table, start_bytes, 8);
	put(table, size_bytes, 8);
	put(table, 0, 4);
	put(table, 1, 4); /* enabled */
	put(table, 0, 8);
}

void hosted_srat_cpu(struct hosted_table *table, uint32_t pxm, uint32_t apic_id)
{
	put(table, 2 | 24 << 8, 2);
	put(table, 0, 2);
	put(table, pxm, 4);
	put(table, apic_id, 4);
	put(table, 1, 4); /* enabled */
	put(table, 0, 8);
}

void hosted_slit(struct hosted_table *table, unsigned nr_domains,
	unsigned (*distance)(unsigned from, unsigned to))
{
	begin(table, "SLIT", SLIT_FIXED_BYTES - 8);
	put(table, nr_domains, 8);
	for (unsigned from = 0; from < nr_domains; from++)
		for (unsigned to = 0; to < nr_domains; to++)
			put(table, distance(from, to), 1);
	hosted_table_end(table);
}
