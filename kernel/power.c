/*
 * Power management out of FADT and DSDT: see power.h. Both are firmware's: nothing is loaded past
 * their ends.
 */
#include "kernel/power.h"

#include "lib/string.h"

#define HEADER_BYTES 36

#define FADT_SMI_COMMAND   48
#define FADT_ACPI_ENABLE   52
#define FADT_PM1A	   64
#define FADT_PM1B	   68
#define FADT_PM_TIMER	   76
#define FADT_FLAGS	   112
#define FADT_RESET_SPACE   116
#define FADT_RESET_ADDRESS 120
#define FADT_RESET_VALUE   128
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
