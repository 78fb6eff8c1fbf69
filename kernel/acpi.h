/*
 * Finding ACPI tables: RSDP of revision 0 or 2, XSDT or RSDT, and of the tables they list the few
 * that are used. What is inside a table is its parser's business (mm/srat.h and so on), but length
 * and place are checked here.
 */
#ifndef KERNEL_ACPI_H
#define KERNEL_ACPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct acpi_bytes {
	const uint8_t *bytes; /* NULL: there is no such table */
	size_t size_bytes;    /* as its header says, all readable */
};

struct acpi_tables {
	struct acpi_bytes srat, slit, madt, fadt, dsdt;
	unsigned nr_tables;   /* listed */
	unsigned nr_unusable; /* listed, but not readable or of an absurd length */
	unsigned nr_repeated; /* further ones of a kind: the first counts */
	const char *root;     /* "XSDT", "RSDT" or, with none usable, why not */
};

/* Makes physical bytes readable for good; NULL if it cannot. */
typedef const void *acpi_map(uint64_t phys, size_t size_bytes);

/* rsdp_phys 0: there is none. Nothing is read but through `map`. */
void acpi_find(uint64_t rsdp_phys, acpi_map *map, struct acpi_tables *tables);

/* What the FADT says, each 0 if it does not. */
struct acpi_power {
	uint16_t pm_timer_port, pm1a_port, pm1b_port;
	uint16_t smi_command_port;
	uint8_t acpi_enable_value;
	uint8_t s5_type_a, s5_type_b;
	bool has_s5;
	uint16_t reset_port; /* the reset register, if it is a port */
	uint8_t reset_value;
};
void acpi_read_power(const struct acpi_tables *tables, struct acpi_power *power);

#endif
