/*
 * ACPI table discovery: see acpi.h.
 *
 * Every address and length comes from firmware and is taken as a claim: a header is mapped first,
 * its length held against a bound, then the whole. Nothing is dereferenced unaligned. A table whose
 * checksum is wrong is left to its parser, but a wrong RSDP, XSDT or RSDT is not followed: with a
 * bad XSDT the RSDT is tried.
 */
#include "kernel/acpi.h"

#include "lib/string.h"

#define RSDP_V1_BYTES	20
#define RSDP_V2_BYTES	36
#define RSDP_MAX_BYTES	4096
#define HEADER_BYTES	36
#define MAX_TABLE_BYTES (4u << 20) /* a large DSDT has 1 MiB */
#define MAX_TABLES	256

#define FADT_DSDT	   40
#define FADT_SMI_COMMAND   48
#define FADT_ACPI_ENABLE   52
#define FADT_PM1A	   64
#define FADT_PM1B	   68
#define FADT_PM_TIMER	   76
#define FADT_FLAGS	   112
#define FADT_RESET_SPACE   116
#define FADT_RESET_ADDRESS 120
#define FADT_RESET_VALUE   128
#define FADT_X_DSDT	   140
#define FLAG_RESET_REG	   (1u << 10)
#define SPACE_IO	   1

#define AML_NAME    0x08
#define AML_PACKAGE 0x12
#define AML_BYTE    0x0a
#define AML_ZERO    0x00
#define AML_ONE	    0x01

static uint64_t load(const uint8_t *bytes, unsigned size_bytes)
{
	uint64_t value = 0;

	memcpy(&value, bytes, size_bytes);
	return value;
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
	const uint8_t *header = phys ? map(phys, HEADER_BYTES) : NULL;

	if (!header)
		return table;
	size_t size_bytes = load(header + 4, 4);

	if (size_bytes < HEADER_BYTES || size_bytes > MAX_TABLE_BYTES)
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
	uint64_t rsdt_phys = load(rsdp + 16, 4);

	if (rsdp[15] >= 2 && (rsdp = map(rsdp_phys, RSDP_V2_BYTES))) {
		size_t size_bytes = load(rsdp + 20, 4);

		if (size_bytes >= RSDP_V2_BYTES && size_bytes <= RSDP_MAX_BYTES &&
			(rsdp = map(rsdp_phys, size_bytes)) && sums_to_zero(rsdp, size_bytes)) {
			*root = map_table(load(rsdp + 24, 8), map);
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
	tables->nr_tables = (unsigned)((root.size_bytes - HEADER_BYTES) / entry_bytes);
	for (unsigned i = 0; i < tables->nr_tables; i++) {
		struct acpi_bytes table = {0};

		if (i < MAX_TABLES)
			table = map_table(
				load(root.bytes + HEADER_BYTES + i * entry_bytes, entry_bytes),
				map);
		if (table.bytes)
			take_table(tables, &table);
		else
			tables->nr_unusable++;
	}
	const struct acpi_bytes *fadt = &tables->fadt;
	uint64_t dsdt_phys = 0;

	if (fadt->size_bytes >= FADT_X_DSDT + 8)
		dsdt_phys = load(fadt->bytes + FADT_X_DSDT, 8);
	if (!dsdt_phys && fadt->size_bytes >= FADT_DSDT + 4)
		dsdt_phys = load(fadt->bytes + FADT_DSDT, 4);
	tables->dsdt = map_table(dsdt_phys, map);
	if (tables->dsdt.bytes && memcmp(tables->dsdt.bytes, "DSDT", 4) != 0)
		tables->dsdt = (struct acpi_bytes){0};
}

/* A port number out of a FADT field, 0 where there is none or it is no port. */
static uint16_t port_field(const struct acpi_bytes *fadt, size_t offset, unsigned size_bytes)
{
	if (fadt->size_bytes < offset + size_bytes)
		return 0;
	uint64_t value = load(fadt->bytes + offset, size_bytes);

	return value <= UINT16_MAX ? (uint16_t)value : 0;
}

/* One small integer of AML at *at; false if it is something else or the end. */
static bool aml_integer(const struct acpi_bytes *aml, size_t *at, uint8_t *value)
{
	if (*at + 2 > aml->size_bytes)
		return false;
	uint8_t op = aml->bytes[(*at)++];

	*value = op;
	if (op == AML_BYTE)
		*value = aml->bytes[(*at)++];
	else if (op != AML_ZERO && op != AML_ONE)
		return false;
	return true;
}

/*
 * The sleep types of S5, from the DSDT's `Name (_S5, Package () {a, b, ...})`, found by its bytes.
 */
static void find_s5(const struct acpi_bytes *dsdt, struct acpi_power *power)
{
	static const uint8_t pattern[] = {AML_NAME, '_', 'S', '5', '_', AML_PACKAGE};

	for (size_t i = HEADER_BYTES; i + sizeof(pattern) + 4 <= dsdt->size_bytes; i++) {
		if (memcmp(dsdt->bytes + i, pattern, sizeof(pattern)) != 0)
			continue;
		size_t at = i + sizeof(pattern);

		at += 1 + (dsdt->bytes[at] >> 6); /* the package's length */
		at += 1;			  /* its number of elements */
		power->has_s5 = aml_integer(dsdt, &at, &power->s5_type_a) &&
				aml_integer(dsdt, &at, &power->s5_type_b);
		return;
	}
}

void acpi_read_power(const struct acpi_tables *tables, struct acpi_power *power)
{
	const struct acpi_bytes *fadt = &tables->fadt;

	memset(power, 0, sizeof(*power));
	power->pm_timer_port = port_field(fadt, FADT_PM_TIMER, 4);
	power->pm1a_port = port_field(fadt, FADT_PM1A, 4);
	power->pm1b_port = port_field(fadt, FADT_PM1B, 4);
	power->smi_command_port = port_field(fadt, FADT_SMI_COMMAND, 4);
	if (fadt->size_bytes > FADT_ACPI_ENABLE)
		power->acpi_enable_value = fadt->bytes[FADT_ACPI_ENABLE];
	if (fadt->size_bytes > FADT_RESET_VALUE &&
		load(fadt->bytes + FADT_FLAGS, 4) & FLAG_RESET_REG &&
		fadt->bytes[FADT_RESET_SPACE] == SPACE_IO) {
		power->reset_port = port_field(fadt, FADT_RESET_ADDRESS, 8);
		power->reset_value = fadt->bytes[FADT_RESET_VALUE];
	}
	if (tables->dsdt.bytes)
		find_s5(&tables->dsdt, power);
}
