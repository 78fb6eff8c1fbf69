/*
 * Fuzzes the MADT parser against a slow one: a CPU is looked for in the whole table->
 */
#include <stdlib.h>
#include <string.h>

#include <dolmen/limits.h>
#include "mm/madt.h"
#include "test/fuzz/tables.h"

#define FIXED_BYTES 44

struct want {
	struct madt_result result;
	uint32_t ids[DOLMEN_MAX_CPUS];
};

static unsigned least_of(unsigned type)
{
	return type == 0 ? 8 : type == 2 ? 10 : type == 5 ? 12 : type == 9 ? 16 : 0;
}

static bool read_cpu(const struct entry *entry, uint32_t *id, unsigned *flags)
{
	if ((entry->type != 0 && entry->type != 9) || entry->size < least_of(entry->type))
		return false;
	*id = entry->type ? (uint32_t)number_at(entry->at + 4, 4) : entry->at[3];
	*flags = (unsigned)number_at(entry->at + (entry->type ? 8 : 4), 4);
	return true;
}

static bool is_filler(const struct entry *entry, uint32_t id)
{
	return id == (entry->type ? 0xffffffff : 0xff);
}

static bool has_narrow_cpus(const struct table *table)
{
	uint32_t id;
	unsigned flags;

	for (unsigned n = 0; n < table->nr_entries; n++)
		if (table->entries[n].type == 0 && read_cpu(&table->entries[n], &id, &flags) &&
			flags & 1 && id != 0xff)
			return true;
	return false;
}

static void want_cpu(struct want *want, uint32_t id, unsigned max)
{
	for (unsigned i = !want->result.boot_cpu_added ? 0 : 1; i < want->result.nr_cpus; i++) {
		if (want->ids[i] == id) {
			want->result.nr_duplicates++;
			return;
		}
	}
	if (id == want->ids[0])
		want->result.boot_cpu_added = false;
	else if (want->result.nr_cpus == max)
		want->result.nr_past_limit++;
	else
		want->ids[want->result.nr_cpus++] = id;
}

static void walk(const struct table *table, struct want *want, unsigned max)
{
	struct madt_result *result = &want->result;
	bool narrow = has_narrow_cpus(table);
	unsigned flags;
	uint32_t id;

	for (unsigned n = 0; n < table->nr_entries; n++) {
		const struct entry entry = table->entries[n];

		result->nr_skipped += !least_of(entry.type);
		result->nr_short += entry.size < least_of(entry.type);
		if (!least_of(entry.type) || entry.size < least_of(entry.type))
			continue;
		result->nr_overrides += entry.type == 2;
		if (entry.type == 5)
			result->lapic_phys = number_at(entry.at + 4, 8);
		if (!read_cpu(&entry, &id, &flags))
			continue;
		result->nr_enabled_entries += flags & 1;
		result->nr_disabled_entries += !(flags & 1);
		result->nr_online_capable += (flags & 3) == 2;
		if (!(flags & 1) || is_filler(&entry, id))
			continue;
		if (entry.type == 9 && id < 0xff && narrow)
			continue;
		want_cpu(want, id, max);
	}
	result->truncated = table->ending != ENDS_WELL;
}

void fuzz_one(const uint8_t *bytes, size_t size_bytes)
{
	static uint32_t ids[DOLMEN_MAX_CPUS];
	static struct want want;
	struct madt_result got;
	/* Two bytes for how many CPUs there may be, and which one boots. */
	unsigned max = 1 + (size_bytes > 1 ? bytes[0] * 2u : 0);
	uint32_t boot = size_bytes > 1 ? bytes[1] : 0;
	size_t skip = size_bytes > 1 ? 2 : size_bytes;
	struct table *table = table_make(bytes + skip, size_bytes - skip, "APIC", FIXED_BYTES);

	memset(&want.result, 0, sizeof(want.result));
	want.ids[0] = boot;
	want.result.nr_cpus = 1;
	want.result.boot_cpu_added = true;
	if (table->opens == ACPI_USABLE) {
		want.result.lapic_phys = number_at(table->bytes + 36, 4);
		want.result.bad_checksum = table->sum;
		walk(table, &want, max);
	}
	memset(&got, 0xa5, sizeof(got));
	unsigned verdict = madt_parse(table->bytes, table->size_bytes, boot, ids, max, &got);
	REQUIRE(verdict == table->opens, "%s", acpi_verdict_text(verdict));
#define SAME(field)                                                                                \
	REQUIRE(got.field == want.result.field, "%lu, not %lu", (unsigned long)got.field,          \
		(unsigned long)want.result.field)
	SAME(nr_cpus);
	SAME(boot_cpu_added);
	SAME(lapic_phys);
	SAME(nr_enabled_entries);
	SAME(nr_disabled_entries);
	SAME(nr_online_capable);
	SAME(nr_duplicates);
	SAME(nr_past_limit);
	SAME(nr_overrides);
	SAME(nr_skipped);
	SAME(nr_short);
	SAME(truncated);
	SAME(bad_checksum);
#undef SAME
	for (unsigned cpu = 0; cpu < got.nr_cpus; cpu++)
		REQUIRE(ids[cpu] == want.ids[cpu], "CPU %u is %x, not %x", cpu, ids[cpu],
			want.ids[cpu]);
	table_free(table);
}
