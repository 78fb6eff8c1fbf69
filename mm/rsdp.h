/*
 * Finding ACPI tables: RSDP of revision 0 or 2, XSDT or RSDT, and of the tables they list the few
 * that are used. What is inside a table is its parser's business (mm/srat.h and so on), but length
 * and place are checked here.
 */
#ifndef MM_RSDP_H
#define MM_RSDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dolmen/init.h>

#include "lib/names.h"

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

/* rsdp_phys 0: there is none. Nothing is read but through `map`. */
void acpi_find(uint64_t rsdp_phys, acpi_map *map, struct acpi_tables *tables);

#endif
