/*
 * Ending the machine. With QEMU's isa-debug-exit device the value becomes the status 2 * value + 1;
 * without it the machine powers off by ACPI, or halts.
 */
#ifndef KERNEL_MACHINE_H
#define KERNEL_MACHINE_H

#include "kernel/power.h"

enum machine_verdict {
	MACHINE_PASSED = 0x10, /* status 33 */
	MACHINE_FAILED = 0x11, /* 35 */
	MACHINE_FAULT = 0x12,  /* 37 */
};

/* What the firmware says about ends; without it some ways are closed. */
void machine_set_power(const struct acpi_power *found);

void machine_exit(enum machine_verdict verdict) __attribute__((noreturn));
void machine_reboot(void) __attribute__((noreturn));

#endif
