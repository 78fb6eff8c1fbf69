/*
 * MADT parser: see mm/madt.h.
 *
 * Whether x2APIC entries with low ids count depends on the local APIC entries, which may stand
 * after them: so local APIC entries are looked for in a pass of their own. A list of CPUs that
 * breaks off is still a list of CPUs: what came before the break is kept, and an entry too short
 * for its type costs only itself.
 */
#include "mm/madt.h"

#include "mm/acpi_table.h"

#define FIXED_BYTES 44

enum {
	TYPE_LOCAL_APIC = 0,
	TYPE_OVERRIDE = 2,
	TYPE_LOCAL_APIC_ADDRESS = 5,
	TYPE_X2APIC = 9,
};

#define ENABLED	       1u
#define ONLINE_CAPABLE 2u

#define LOCAL_APIC_BROADCAST 0xffu
#define X2APIC_BROADCAST     0xffffffffu

/* The least that each type needs; 0 for a type that is skipped. */
static uint8_t least_bytes(uint8_t type)
{
	switch (type) {
	case TYPE_LOCAL_APIC:
		return 8;
	case TYPE_OVERRIDE:
		return 10;
	case TYPE_LOCAL_APIC_ADDRESS:
		return 12;
	case TYPE_X2APIC:
		return 16;
	default:
		return 0;
	}
}

struct cpu_entry {
	uint32_t apic_id;
	uint32_t flags;
};

/* Whole entries of a CPU type only. */
static struct cpu_entry load_cpu(const struct acpi_entry *entry)
{
	const uint8_t *bytes = entry->bytes;

	if (entry->type == TYPE_X2APIC)
		return (struct cpu_entry){acpi_load32(bytes + 4), acpi_load32(bytes + 8)};
	return (struct cpu_entry){bytes[3], acpi_load32(bytes + 4)};
}

static bool has_local_apic_cpus(const struct acpi_table *table)
{
	size_t offset = FIXED_BYTES;
	struct acpi_entry entry;

	while (acpi_next(table, &offset, &entry) == ACPI_ENTRY) {
		if (entry.type != TYPE_LOCAL_APIC || entry.size_bytes < least_bytes(entry.type))
			continue;
		struct cpu_entry cpu = load_cpu(&entry);
		if (cpu.flags & ENABLED && cpu.apic_id != LOCAL_APIC_BROADCAST)
			return true;
	}
	return false;
}

struct cpu_list {
	uint32_t *apic_ids;
	unsigned max;
	bool local_apic_cpus;
	bool boot_seen;
};

static void add_cpu(struct cpu_list *list, uint32_t apic_id, struct madt_result *out)
{
	if (apic_id == list->apic_ids[0] && !list->boot_seen) {
		list->boot_seen = true;
		return;
	}
	for (unsigned cpu = 0; cpu < out->nr_cpus; cpu++) {
		if (list->apic_ids[cpu] == apic_id) {
			out->nr_duplicates++;
			return;
		}
	}
	if (out->nr_cpus == list->max)
		out->nr_past_limit++;
	else
		list->apic_ids[out->nr_cpus++] = apic_id;
}

static void take_cpu_entry(
	struct cpu_list *list, const struct acpi_entry *entry, struct madt_result *out)
{
	struct cpu_entry cpu = load_cpu(entry);
	bool wide = entry->type == TYPE_X2APIC;

	if (!(cpu.flags & ENABLED)) {
		out->nr_disabled_entries++;
		if (cpu.flags & ONLINE_CAPABLE)
			out->nr_online_capable++;
		return;
	}
	out->nr_enabled_entries++;
	if (cpu.apic_id == (wide ? X2APIC_BROADCAST : LOCAL_APIC_BROADCAST))
		return;
	if (wide && cpu.apic_id < LOCAL_APIC_BROADCAST && list->local_apic_cpus)
		return;
	add_cpu(list, cpu.apic_id, out);
}

static void take_entry(
	struct cpu_list *list, const struct acpi_entry *entry, struct madt_result *out)
{
	uint8_t least = least_bytes(entry->type);

	if (!least) {
		out->nr_skipped++;
		return;
	}
	if (entry->size_bytes < least) {
		out->nr_short++;
		return;
	}
	if (entry->type == TYPE_OVERRIDE)
		out->nr_overrides++;
	else if (entry->type == TYPE_LOCAL_APIC_ADDRESS)
		out->lapic_phys = acpi_load64(entry->bytes + 4);
	else
		take_cpu_entry(list, entry, out);
}

enum acpi_verdict madt_parse(const void *bytes, size_t size_bytes, uint32_t boot_apic_id,
	uint32_t *apic_ids, unsigned max, struct madt_result *out)
{
	struct acpi_table table;
	struct acpi_entry entry;
	enum acpi_step step;
	size_t offset = FIXED_BYTES;

	memset(out, 0, sizeof(*out));
	apic_ids[0] = boot_apic_id;
	out->nr_cpus = 1;
	enum acpi_verdict verdict = acpi_open(bytes, size_bytes, "APIC", FIXED_BYTES, &table);
	if (verdict != ACPI_USABLE) {
		out->boot_cpu_added = true;
		return verdict;
	}
	out->bad_checksum = table.bad_checksum;
	out->lapic_phys = acpi_load32(table.bytes + ACPI_HEADER_BYTES);

	struct cpu_list list = {
		.apic_ids = apic_ids,
		.max = max,
		.local_apic_cpus = has_local_apic_cpus(&table),
	};
	while ((step = acpi_next(&table, &offset, &entry)) == ACPI_ENTRY)
		take_entry(&list, &entry, out);
	out->truncated = step != ACPI_END;
	out->boot_cpu_added = !list.boot_seen;
	return ACPI_USABLE;
}
