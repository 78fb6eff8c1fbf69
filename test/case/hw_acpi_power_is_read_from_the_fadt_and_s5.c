/*
 * What ends the machine: ports and sleep types, from bytes cut at every length.
 */
#include "kernel/power.h"
#include "lib/string.h"
#include "test/contract.h"

#define FADT_BYTES   244u
#define HEADER_BYTES 36u

static uint8_t fadt[FADT_BYTES], dsdt[64];

static const uint8_t s5[] = {
	0x08, '_', 'S', '5', '_', 0x12, 0x06, 0x04, 0x0a, 0x05, 0x01, 0x00, 0x00};

static void make_tables(void)
{
	memset(fadt, 0, sizeof(fadt));
	memset(dsdt, 0, sizeof(dsdt));
	memcpy(fadt + 48, &(uint32_t){0xb2}, 4);
	fadt[52] = 0x02;
	memcpy(fadt + 64, &(uint32_t){0x604}, 4);
	memcpy(fadt + 76, &(uint32_t){0x608}, 4);
	memcpy(fadt + 112, &(uint32_t){1u << 10}, 4);
	fadt[116] = 1;
	memcpy(fadt + 120, &(uint64_t){0xcf9}, 8);
	fadt[128] = 0x0f;
	memcpy(dsdt + HEADER_BYTES + 3, s5, sizeof(s5));
}

static struct acpi_power read_cut(size_t fadt_bytes, size_t dsdt_bytes)
{
	const struct acpi_tables tables = {
		.fadt = {fadt_bytes ? fadt : NULL, fadt_bytes},
		.dsdt = {dsdt_bytes ? dsdt : NULL, dsdt_bytes},
	};
	struct acpi_power power;

	acpi_read_power(&tables, &power);
	return power;
}

CONTRACT("power-off and reset are read from FADT and _S5_, and from a table cut short only what is "
	 "there",
	"port_field() does not look at the table's length")
{
	make_tables();
	struct acpi_power p = read_cut(FADT_BYTES, sizeof(dsdt));

	CHECK(p.pm1a_port == 0x604 && p.pm_timer_port == 0x608 && !p.pm1b_port, "ports %x, %x, %x",
		p.pm1a_port, p.pm_timer_port, p.pm1b_port);
	CHECK(p.smi_command_port == 0xb2 && p.acpi_enable_value == 2, "SMI %x, %u",
		p.smi_command_port, p.acpi_enable_value);
	CHECK(p.reset_port == 0xcf9 && p.reset_value == 0x0f, "reset %x, %x", p.reset_port,
		p.reset_value);
	CHECK(p.has_s5 && p.s5_type_a == 5 && p.s5_type_b == 1, "S5 %d: %u, %u", p.has_s5,
		p.s5_type_a, p.s5_type_b);

	for (size_t size_bytes = 0; size_bytes < FADT_BYTES; size_bytes++) {
		p = read_cut(size_bytes, 0);
		CHECK(!p.pm1a_port == (size_bytes < 68) && !p.pm_timer_port == (size_bytes < 80) &&
				!p.reset_port == (size_bytes < 129),
			"a FADT of %lu bytes: %x, %x, %x", size_bytes, p.pm1a_port, p.pm_timer_port,
			p.reset_port);
	}
	for (size_t size_bytes = 0; size_bytes <= sizeof(dsdt); size_bytes++)
		CHECK(read_cut(0, size_bytes).has_s5 == (size_bytes >= HEADER_BYTES + 3 + 12),
			"a DSDT of %lu bytes", size_bytes);

	memcpy(fadt + 64, &(uint32_t){0x10604}, 4);
	CHECK(!read_cut(FADT_BYTES, 0).pm1a_port, "a port above 64 KiB");
	fadt[116] = 0;
	CHECK(!read_cut(FADT_BYTES, 0).reset_port, "a reset register in memory taken for a port");
}
