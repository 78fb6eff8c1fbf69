/*
 * ACPI table discovery: see rsdp.h.
 *
 * Every address and length comes from firmware and is taken as a claim: a header is mapped first,
 * its length held against a bound, then the whole. Nothing is dereferenced unaligned. A table whose
 * checksum is wrong is left to its parser, but a wrong RSDP, XSDT or RSDT is not followed: with a
 * bad XSDT the RSDT is tried.
 */
#include "mm/rsdp.h"

#include "mm/acpi_table.h"

#define RSDP_V1_BYTES	20
#define RSDP_V2_BYTES	36
#define RSDP_MAX_BYTES	4096
#define MAX_TABLE_BYTES (4u << 20) /* a large DSDT has 1 MiB */
#define MAX_TABLES	256

#define FADT_DSDT   40
#define FADT_X_DSDT 140

/* One entry of the root: 4 bytes of an RSDT's, 8 of an XSDT's. */
static uint64_t load_entry(const struct acpi_bytes *root, unsigned i, unsigned entry_bytes)
{
	const uint8_t *entry = root->bytes + ACPI_HEADER_BYTES + i * entry_bytes;

	return entry_bytes == 8 ? acpi_load64(entry) : acpi_load32(entry);
}

static bool sums_to_zero(const uint8_t *bytes, size_t size_bytes)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < size_bytes; i++)
		sum += bytes[i];
	return sum == 0;
}

/* The whole table at `phys`, by its own length. bytes NULL if it cannot be. */
static struct acpi_bytes map_table(uint64_t phys, acpi_map *map)
{
	struct acpi_bytes table = {0};
	const uint8_t *header = phys ? map(phys, ACPI_HEADER_BYTES) : NULL;

	if (!header)
		return table;
	size_t size_bytes = acpi_load32(header + 4);

	if (size_bytes < ACPI_HEADER_BYTES || size_bytes > MAX_TABLE_BYTES)
		return table;
	table.bytes = map(phys, size_bytes);
	table.size_bytes = table.bytes ? size_bytes : 0;
	return table;
}

static bool is_root(const struct acpi_bytes *table, const char *signature)
{
	return table->bytes && memcmp(table->bytes, signature, 4) == 0 &&
	       sums_to_zero(table->bytes, table->size_bytes);
}

/* Fills `root` and returns the bytes of one entry, or 0 with the reason in tables->root. */
static unsigned find_root(
	uint64_t rsdp_phys, acpi_map *map, struct acpi_bytes *root, struct acpi_tables *tables)
{
	const uint8_t *rsdp = rsdp_phys ? map(rsdp_phys, RSDP_V1_BYTES) : NULL;

	tables->root = rsdp_phys ? "RSDP cannot be read" : "no RSDP";
	if (!rsdp)
		return 0;
	tables->root = "RSDP is wrong";
	if (memcmp(rsdp, "RSD PTR ", 8) != 0 || !sums_to_zero(rsdp, RSDP_V1_BYTES))
		return 0;
	uint64_t rsdt_phys = acpi_load32(rsdp + 16);

	if (rsdp[15] >= 2 && (rsdp = map(rsdp_phys, RSDP_V2_BYTES))) {
		size_t size_bytes = acpi_load32(rsdp + 20);

		if (size_bytes >= RSDP_V2_BYTES && size_bytes <= RSDP_MAX_BYTES &&
			(rsdp = map(rsdp_phys, size_bytes)) && sums_to_zero(rsdp, size_bytes)) {
			*root = map_table(acpi_load64(rsdp + 24), map);
			tables->root = "XSDT";
			if (is_root(root, "XSDT"))
				return 8;
		}
	}
	*root = map_table(rsdt_phys, map);
	if (is_root(root, "RSDT")) {
		tables->root = "RSDT";
		return 4;
	}
	tables->root = "no usable XSDT or RSDT";
	return 0;
}

static void take_table(struct acpi_tables *tables, const struct acpi_bytes *table)
{
	const struct {
		const char *signature;
		struct acpi_bytes *slot;
	} wanted[] = {
		{"SRAT", &tables->srat},
		{"SLIT", &tables->slit},
		{"APIC", &tables->madt},
		{"FACP", &tables->fadt},
	};

	for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (memcmp(table->bytes, wanted[i].signature, 4) != 0)
			continue;
		if (wanted[i].slot->bytes)
			tables->nr_repeated++;
		else
			*wanted[i].slot = *table;
	}
}

void acpi_find(uint64_t rsdp_phys, acpi_map *map, struct acpi_tables *tables)
{
	struct acpi_bytes root;

	memset(tables, 0, sizeof(*tables));
	unsigned entry_bytes = find_root(rsdp_phys, map, &root, tables);

	if (!entry_bytes)
		return;
	tables->nr_tables = (unsigned)((root.size_bytes - ACPI_HEADER_BYTES) / entry_bytes);
	for (unsigned i = 0; i < tables->nr_tables; i++) {
		struct acpi_bytes table = {0};

		if (i < MAX_TABLES)
			table = map_table(load_entry(&root, i, entry_bytes), map);
		if (table.bytes)
			take_table(tables, &table);
		else
			tables->nr_unusable++;
	}
	const struct acpi_bytes *fadt = &tables->fadt;
	uint64_t dsdt_phys = 0;

	if (fadt->size_bytes >= FADT_X_DSDT + 8)
		dsdt_phys = acpi_load64(fadt->bytes + FADT_X_DSDT);
	if (!dsdt_phys && fadt->size_bytes >= FADT_DSDT + 4)
		dsdt_phys = acpi_load32(fadt->bytes + FADT_DSDT);
	tables->dsdt = map_table(dsdt_phys, map);
	if (tables->dsdt.bytes && memcmp(tables->dsdt.bytes, "DSDT", 4) != 0)
		tables->dsdt = (struct acpi_bytes){0};
}
