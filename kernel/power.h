/*
 * What the unikernel takes of the FADT and the DSDT: where the power-management timer is, and how
 * the machine is turned off or reset.
 */
#ifndef KERNEL_POWER_H
#define KERNEL_POWER_H

#include "mm/rsdp.h"

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
