/*
 * CPUs as the MADT tells of them, started through a page below 1 MiB.
 */
#include "test/embed/serial.h"
#include "test/embed/small/small.h"

#define TO_ALL_OTHERS (3u << 18)
#define INIT	      0x4500u
#define STARTUP	      0x4600u

extern const char small_trampoline[], small_trampoline_end[];

static uint32_t bytes_of(const uint8_t *table, unsigned offset)
{
	uint32_t value;

	__builtin_memcpy(&value, table + offset, sizeof(value));
	return value;
}

const void *small_find_table(const void *rsdp, const char *name)
{
	const uint8_t *root = rsdp ? (const uint8_t *)(uint64_t)bytes_of(rsdp, 16) : NULL;

	for (uint32_t at = 36; root && at + 4 <= bytes_of(root, 4); at += 4) {
		const uint8_t *table = (const uint8_t *)(uint64_t)bytes_of(root, at);

		if (!__builtin_memcmp(table, name, 4))
			return table;
	}
	return NULL;
}

/* Enabled local APICs of a MADT. */
static unsigned count_cpus(const uint8_t *madt)
{
	unsigned nr = 0;

	for (uint32_t at = 44; madt && at + 8 <= bytes_of(madt, 4) && madt[at + 1];
		at += madt[at + 1])
		nr += madt[at] == 0 && (bytes_of(madt, at + 4) & 1);
	return nr < 1 ? 1 : nr > SMALL_MAX_CPUS ? SMALL_MAX_CPUS : nr;
}

unsigned small_start_cpus(const void *madt, uint32_t apic_ids[SMALL_MAX_CPUS])
{
	unsigned nr = count_cpus(madt);

	__builtin_memcpy((void *)SMALL_TRAMPOLINE, small_trampoline,
		(size_t)(small_trampoline_end - small_trampoline));
	if (nr > 1) {
		small_send(0, INIT | TO_ALL_OTHERS);
		for (unsigned n = 0; n < 10000; n++) /* a microsecond each */
			in8(0x80);
		small_send(0, STARTUP | TO_ALL_OTHERS | SMALL_TRAMPOLINE >> 12);
	}
	small_wait_for_cpus(nr, apic_ids);
	return nr;
}
