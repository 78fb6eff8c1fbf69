/*
 * Builds ACPI tables for contracts, entry by entry, in one buffer: begin, entries, end. The bytes
 * stand at an odd address, so that a parser that assumes alignment is seen where loads are checked.
 */
#ifndef TEST_ACPI_BYTES_H
#define TEST_ACPI_BYTES_H

#include <stdint.h>

#include "lib/string.h"

#ifndef ACPI_BYTES_MAX
#define ACPI_BYTES_MAX 12000
#endif

static struct {
	uint8_t pad;
	uint8_t bytes[ACPI_BYTES_MAX];
	uint32_t size_bytes;
} __attribute__((packed)) table;

static inline void put_bytes(const void *bytes, uint32_t size_bytes)
{
	memcpy(table.bytes + table.size_bytes, bytes, size_bytes);
	table.size_bytes += size_bytes;
}

static inline void put(uint64_t value, uint32_t size_bytes)
{
	put_bytes(&value, size_bytes);
}

static inline void begin_table(const char *signature, uint8_t revision)
{
	memset(&table, 0, sizeof(table));
	put_bytes(signature, 4);
	table.bytes[8] = revision;
	table.size_bytes =
		36; /* length and checksum: end_table(); the names of who made it stay empty */
}

/* Makes length and checksum right; also after a change to the bytes. */
static inline void end_table(void)
{
	uint8_t sum = 0;

	memcpy(table.bytes + 4, &table.size_bytes, 4);
	table.bytes[9] = 0;
	for (uint32_t i = 0; i < table.size_bytes; i++)
		sum = (uint8_t)(sum + table.bytes[i]);
	table.bytes[9] = (uint8_t)-sum;
}

static inline void begin_srat(uint8_t revision)
{
	begin_table("SRAT", revision);
	put(1, 4);
	put(0, 8);
}

static inline void put_srat_x2apic(uint32_t apic_id, uint32_t pxm, uint32_t flags)
{
	put(2 | 24 << 8, 4);
	put(pxm, 4);
	put(apic_id, 4);
	put(flags, 4);
	put(0, 8);
}

static inline void put_srat_memory(
	uint32_t pxm, uint64_t start_bytes, uint64_t size_bytes, uint32_t flags)
{
	put(1 | 40 << 8, 2);
	put(pxm, 4);
	put(0, 2);
	put(start_bytes, 8);
	put(size_bytes, 8);
	put(0, 4);
	put(flags, 4);
	put(0, 8);
}

static inline void begin_madt(void)
{
	begin_table("APIC", 4);
	put(0xfee00000, 4);
	put(1, 4);
}

static inline void put_madt_local_apic(uint8_t apic_id, uint32_t flags)
{
	put(0 | 8 << 8, 3);
	put(apic_id, 1);
	put(flags, 4);
}

static inline void put_madt_x2apic(uint32_t apic_id, uint32_t flags)
{
	put(9 | 16 << 8, 4);
	put(apic_id, 4);
	put(flags, 4);
	put(0, 4);
}

static inline void make_slit(uint64_t nr_domains, const uint8_t *matrix, uint32_t matrix_bytes)
{
	begin_table("SLIT", 1);
	put(nr_domains, 8);
	put_bytes(matrix, matrix_bytes);
	end_table();
}

#endif
