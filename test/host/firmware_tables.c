/*
 * Compares what the parsers make of SRAT, SLIT and MADT with expected.json: domains, the CPUs and
 * the memory of each, distances, counts, and how the tables fit together.
 */
#include "test/host/firmware.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dolmen/limits.h>
#include "mm/madt.h"
#include "mm/range.h"
#include "mm/slit.h"
#include "mm/srat.h"

static struct srat srat;
static struct slit slit;
static struct madt_result madt;
static uint32_t apic_ids[DOLMEN_MAX_CPUS];

/* Revisions 0 and 1 have 8-bit domains; the file gives the 32 bits that the table holds. */
static uint32_t pxm_of(uint64_t domain, bool narrow)
{
	return (uint32_t)(narrow ? domain & 0xff : domain);
}

static int nid_of(uint32_t pxm)
{
	for (unsigned nid = 0; nid < srat.nr_nodes; nid++) {
		if (srat.pxm[nid] == pxm)
			return (int)nid;
	}
	return -1;
}

/* ---- SRAT ---- */

static int compare_memory(const void *a, const void *b)
{
	const struct srat_memory *left = a, *right = b;

	if (left->first_byte != right->first_byte)
		return left->first_byte < right->first_byte ? -1 : 1;
	if (left->last_byte != right->last_byte)
		return left->last_byte < right->last_byte ? -1 : 1;
	return left->nid - right->nid;
}

static void check_memory(const json_t *entries, bool narrow)
{
	static struct srat_memory expected[DOLMEN_MAX_RANGES];
	unsigned nr_expected = 0;
	size_t index;
	const json_t *entry;

	json_array_foreach(entries, index, entry)
	{
		uint64_t base = field_u64(entry, "base"), length = field_u64(entry, "length");
		int nid = nid_of(pxm_of(field_u64(entry, "domain"), narrow));

		expect(nid >= 0, "domain %" PRIu64 " has no node", field_u64(entry, "domain"));
		if (!length || nid < 0 || nr_expected == DOLMEN_MAX_RANGES)
			continue;
		expected[nr_expected++] = (struct srat_memory){
			.first_byte = base,
			.last_byte = base + length - 1,
			.nid = (uint8_t)nid,
			.hotplug = field_bool(entry, "hotplug"),
			.nonvolatile = field_bool(entry, "nonvolatile"),
		};
	}
	qsort(expected, nr_expected, sizeof(expected[0]), compare_memory);
	expect(srat.nr_memory_entries == index, "%u memory entries, not %zu",
		srat.nr_memory_entries, index);
	expect(srat.nr_memory == nr_expected, "%u memory ranges, not %u", srat.nr_memory,
		nr_expected);
	for (unsigned i = 0; i < nr_expected && i < srat.nr_memory; i++) {
		const struct srat_memory *have = &srat.memory[i], *want = &expected[i];

		expect(!compare_memory(have, want) && have->hotplug == want->hotplug &&
				have->nonvolatile == want->nonvolatile,
			"memory %#" PRIx64 "-%#" PRIx64 " node %u, not %#" PRIx64 "-%#" PRIx64
			" node %u (or its flags)",
			have->first_byte, have->last_byte, have->nid, want->first_byte,
			want->last_byte, want->nid);
	}
}

static uint8_t node_of_cpu(struct bytes table, uint32_t apic_id)
{
	uint8_t nid;

	srat_cpu_nodes(table.data, table.size_bytes, &srat, &apic_id, 1, &nid);
	return nid;
}

/* Every CPU of every domain is on its node, and no other id up to 1023 is on any. */
static void check_cpus(const json_t *domains, bool narrow, struct bytes table)
{
	bool listed[1024] = {false};
	unsigned nr_listed = 0;
	const char *key;
	json_t *domain;

	json_object_foreach((json_t *)domains, key, domain)
	{
		size_t index;
		const json_t *id;

		json_array_foreach(json_object_get(domain, "apic_ids"), index, id)
		{
			uint32_t apic_id = (uint32_t)json_u64(id);
			int nid = nid_of(pxm_of(strtoull(key, NULL, 0), narrow));

			expect(node_of_cpu(table, apic_id) == nid, "CPU %u is on node %u, not %d",
				apic_id, node_of_cpu(table, apic_id), nid);
			nr_listed++;
			if (apic_id < 1024)
				listed[apic_id] = true;
		}
	}
	expect(srat.nr_cpu_entries == nr_listed, "%u enabled CPU entries, not %u",
		srat.nr_cpu_entries, nr_listed);
	for (uint32_t id = 0; id < 1024; id++)
		expect(listed[id] || node_of_cpu(table, id) == SRAT_NO_NODE,
			"CPU %u has a node, but no entry", id);
}

/* The nodes are the domains that have CPUs of ours or memory, sorted. */
static void check_domains(const json_t *domains, bool narrow)
{
	unsigned nr_expected = 0;
	const char *key;
	json_t *domain;

	json_object_foreach((json_t *)domains, key, domain)
	{
		if (!json_array_size(json_object_get(domain, "apic_ids")) &&
			!json_array_size(json_object_get(domain, "memory")))
			continue;
		nr_expected++;
		expect(nid_of(pxm_of(strtoull(key, NULL, 0), narrow)) >= 0, "domain %s has no node",
			key);
	}
	expect(srat.nr_nodes == nr_expected, "%u nodes, not %u", srat.nr_nodes, nr_expected);
	for (unsigned nid = 1; nid < srat.nr_nodes; nid++)
		expect(srat.pxm[nid - 1] < srat.pxm[nid], "node %u is not sorted", nid);
}

/*
 * With memory exactly where the table says, each node gets the whole pages of its own ranges. Only
 * for tables whose ranges neither overlap nor cut a page, where that is a sum.
 */
static void check_pages(const json_t *expected)
{
	static struct mem_range raw[DOLMEN_MAX_RANGES];
	static struct pfn_range all[DOLMEN_MAX_RANGES], cut[DOLMEN_MAX_RANGES];
	uint64_t pages[DOLMEN_MAX_NODES] = {0};
	struct range_result result;
	struct range_nodes nodes;

	if (!srat.nr_memory ||
		json_array_size(json_object_get(expected, "overlapping_enabled_ranges")))
		return;
	for (unsigned i = 0; i < srat.nr_memory; i++) {
		const struct srat_memory *memory = &srat.memory[i];

		if (memory->first_byte % PAGE_SIZE || (memory->last_byte + 1) % PAGE_SIZE)
			return;
		raw[i] = (struct mem_range){
			memory->first_byte, memory->last_byte - memory->first_byte + 1, MEM_USABLE};
		pages[memory->nid] += raw[i].size_bytes / PAGE_SIZE;
	}
	range_normalise(raw, srat.nr_memory, all, DOLMEN_MAX_RANGES, &result);
	expect(result.nr_pages * PAGE_SIZE == field_u64(expected, "enabled_memory_total"),
		"%" PRIu64 " pages are not the total of the entries", result.nr_pages);
	enum acpi_verdict verdict =
		range_assign(all, result.nr_ranges, &srat, cut, DOLMEN_MAX_RANGES, &nodes);
	expect(verdict == ACPI_USABLE, "pages: %s", acpi_verdict_text(verdict));
	expect(!nodes.nr_uncovered_pages && !nodes.nr_misplaced_pages, "pages on wrong nodes");
	for (unsigned i = 0; i < nodes.nr_ranges; i++)
		pages[cut[i].nid] -= cut[i].end_pfn - cut[i].start_pfn;
	for (unsigned nid = 0; nid < srat.nr_nodes; nid++)
		expect(!pages[nid], "node %u misses %" PRId64 " pages", nid, (int64_t)pages[nid]);
}

static void check_srat(const json_t *expected, const json_t *header, struct bytes table)
{
	enum acpi_verdict verdict = srat_parse(table.data, table.size_bytes, &srat);
	bool narrow = field_u64(header, "revision") < 2;
	const json_t *entry;
	size_t index;
	uint64_t nr_other = field_u64(expected, "entries");

	expect(verdict == ACPI_USABLE, "SRAT: %s", acpi_verdict_text(verdict));
	expect(srat.bad_checksum == !field_bool(header, "checksum_ok"), "SRAT: checksum");
	check_domains(json_object_get(expected, "domains"), narrow);
	check_cpus(json_object_get(expected, "domains"), narrow, table);
	check_memory(json_object_get(expected, "enabled_memory"), narrow);
	check_pages(expected);

	nr_other -= json_array_size(json_object_get(expected, "all_memory_entries"));
	json_array_foreach(json_object_get(expected, "all_cpu_entries"), index, entry)
	{
		const char *kind = json_string_value(json_object_get(entry, "kind"));

		nr_other -= !strcmp(kind, "lapic") || !strcmp(kind, "x2apic");
	}
	expect(srat.nr_skipped == nr_other, "%u entries skipped, not %" PRIu64, srat.nr_skipped,
		nr_other);
	expect(!srat.truncated && !srat.nr_ignored_entries && !srat.nr_ignored_memory,
		"entries were left out");
}

/* ---- SLIT ---- */

static void check_slit(const json_t *expected, const json_t *header, struct bytes table)
{
	enum acpi_verdict verdict = slit_parse(table.data, table.size_bytes, &slit);
	bool valid = field_bool(expected, "linux_slit_valid");
	const json_t *row, *distance;
	size_t from, to;

	expect((verdict == ACPI_USABLE) == valid, "SLIT: %s", acpi_verdict_text(verdict));
	if (!valid)
		return;
	expect(slit.bad_checksum == !field_bool(header, "checksum_ok"), "SLIT: checksum");
	expect(slit.nr_domains == field_u64(expected, "localities"), "SLIT: %" PRIu64 " localities",
		slit.nr_domains);
	json_array_foreach(json_object_get(expected, "matrix"), from, row)
	{
		json_array_foreach(row, to, distance)
		{
			unsigned have = slit_distance(&slit, (uint32_t)from, (uint32_t)to);

			expect(have == json_u64(distance), "distance %zu-%zu is %u", from, to,
				have);
		}
	}
	expect(slit_distance(&slit, 0, (uint32_t)from) == 20 &&
			slit_distance(&slit, (uint32_t)from, UINT32_MAX) == 20,
		"a distance outside the table is not 20");
}

/* ---- MADT ---- */

/* The CPUs that should come out, by the rules of mm/madt.h applied to the list of all entries. */
static unsigned expected_cpus(const json_t *cpus, uint32_t *ids, unsigned max)
{
	const json_t *cpu;
	size_t index;
	unsigned nr_ids = 0;
	bool has_lapic = false;

	for (int pass = 0; pass < 2; pass++) {
		json_array_foreach(cpus, index, cpu)
		{
			const char *kind = json_string_value(json_object_get(cpu, "kind"));
			bool lapic = !strcmp(kind, "lapic");

			if ((!lapic && strcmp(kind, "x2apic")) || !field_bool(cpu, "enabled"))
				continue;
			uint64_t id = field_u64(cpu, "apic_id");
			if (id == (lapic ? 0xff : 0xffffffff))
				continue;
			if (pass == 0) {
				has_lapic |= lapic;
				continue;
			}
			bool known = !lapic && id < 0xff && has_lapic;
			for (unsigned i = 0; i < nr_ids; i++)
				known |= ids[i] == id;
			if (!known && nr_ids < max)
				ids[nr_ids++] = (uint32_t)id;
		}
	}
	return nr_ids;
}

static void check_cpu_list(struct bytes table, uint32_t boot, const uint32_t *ids, unsigned nr_ids)
{
	enum acpi_verdict verdict =
		madt_parse(table.data, table.size_bytes, boot, apic_ids, DOLMEN_MAX_CPUS, &madt);
	unsigned cpu = 1;

	expect(verdict == ACPI_USABLE, "MADT: %s", acpi_verdict_text(verdict));
	expect(apic_ids[0] == boot, "CPU 0 is %u, not the boot CPU", apic_ids[0]);
	expect(madt.nr_cpus == (nr_ids ? nr_ids : 1), "%u CPUs, not %u", madt.nr_cpus, nr_ids);
	expect(madt.boot_cpu_added == !nr_ids, "boot CPU added: %d", madt.boot_cpu_added);
	for (unsigned i = 0; i < nr_ids && cpu < madt.nr_cpus; i++) {
		if (ids[i] == boot)
			continue;
		expect(apic_ids[cpu] == ids[i], "CPU %u is %u, not %u", cpu, apic_ids[cpu], ids[i]);
		cpu++;
	}
}

static unsigned count_of(const json_t *counts, const char *type)
{
	const json_t *count = json_object_get(counts, type);

	return count ? (unsigned)json_u64(count) : 0;
}

static void check_madt(const json_t *expected, const json_t *header, struct bytes table)
{
	static uint32_t ids[DOLMEN_MAX_CPUS];
	const json_t *cpus = json_object_get(expected, "cpus"), *cpu;
	const json_t *others = json_object_get(expected, "other_entry_counts");
	unsigned nr_ids = expected_cpus(cpus, ids, DOLMEN_MAX_CPUS);
	unsigned nr_enabled = 0, nr_ours = count_of(others, "2") + count_of(others, "5");
	size_t index;

	json_array_foreach(cpus, index, cpu)
	{
		const char *kind = json_string_value(json_object_get(cpu, "kind"));

		if (strcmp(kind, "lapic") && strcmp(kind, "x2apic"))
			continue;
		nr_ours++;
		nr_enabled += field_bool(cpu, "enabled");
	}

	/* Whichever CPU boots, it is CPU 0 and the others keep their order. */
	check_cpu_list(table, nr_ids ? ids[nr_ids - 1] : 7, ids, nr_ids);
	check_cpu_list(table, nr_ids ? ids[0] : 7, ids, nr_ids);
	expect(madt.bad_checksum == !field_bool(header, "checksum_ok"), "MADT: checksum");
	expect(madt.nr_enabled_entries == nr_enabled, "%u enabled entries, not %u",
		madt.nr_enabled_entries, nr_enabled);
	if (nr_enabled) {
		expect(madt.nr_enabled_entries == field_u64(expected, "enabled"), "enabled");
		expect(madt.nr_online_capable == field_u64(expected, "online_capable_only"),
			"%u entries may come online", madt.nr_online_capable);
		expect(madt.nr_disabled_entries - madt.nr_online_capable ==
				field_u64(expected, "disabled"),
			"%u entries disabled", madt.nr_disabled_entries);
	}
	expect(madt.nr_overrides == count_of(others, "2"), "%u overrides", madt.nr_overrides);
	expect(madt.nr_skipped == field_u64(expected, "entries") - nr_ours, "%u entries skipped",
		madt.nr_skipped);
	if (!count_of(others, "5"))
		expect(madt.lapic_phys == field_u64(expected, "local_apic_address"),
			"local APIC at %#" PRIx64, madt.lapic_phys);
	expect(!madt.truncated && !madt.nr_short && !madt.nr_past_limit, "entries were left out");
}

/* ---- together ---- */

static bool has_cpu(uint32_t apic_id)
{
	for (unsigned cpu = 0; cpu < madt.nr_cpus; cpu++) {
		if (apic_ids[cpu] == apic_id)
			return true;
	}
	return false;
}

static void check_cross(const json_t *expected, struct bytes table)
{
	const json_t *no_srat = json_object_get(expected, "apic_in_madt_not_srat");
	const json_t *no_madt = json_object_get(expected, "apic_in_srat_not_madt"), *id;
	unsigned nr_without_node = 0;
	size_t index;

	if (!no_srat || !no_madt)
		return;
	for (unsigned cpu = 0; cpu < madt.nr_cpus; cpu++)
		nr_without_node += node_of_cpu(table, apic_ids[cpu]) == SRAT_NO_NODE;
	expect(nr_without_node == json_array_size(no_srat), "%u CPUs without a node",
		nr_without_node);
	json_array_foreach(no_srat, index, id)
	{
		expect(node_of_cpu(table, (uint32_t)json_u64(id)) == SRAT_NO_NODE,
			"CPU %" PRIu64 " has a node", json_u64(id));
	}
	json_array_foreach(no_madt, index, id)
	{
		expect(node_of_cpu(table, (uint32_t)json_u64(id)) != SRAT_NO_NODE &&
				!has_cpu((uint32_t)json_u64(id)),
			"CPU %" PRIu64 " should be in the SRAT alone", json_u64(id));
	}
}

static void describe(
	char *text, size_t size_bytes, struct bytes srat_table, struct bytes slit_table)
{
	int length = snprintf(text, size_bytes, "%u CPUs", madt.nr_cpus);

	if (srat_table.data)
		length += snprintf(text + length, size_bytes - (size_t)length,
			", %u nodes, %u memory ranges, %u CPU entries", srat.nr_nodes,
			srat.nr_memory, srat.nr_cpu_entries);
	if (slit_table.data)
		snprintf(text + length, size_bytes - (size_t)length, ", SLIT %" PRIu64 "x%" PRIu64,
			slit.nr_domains, slit.nr_domains);
}

void check_tables(const json_t *expected, struct bytes srat_table, struct bytes slit_table,
	struct bytes madt_table)
{
	const json_t *headers = json_object_get(expected, "tables");
	const json_t *cross = json_object_get(expected, "cross_check");
	char text[200];

	memset(&srat, 0, sizeof(srat));
	memset(&slit, 0, sizeof(slit));
	memset(&madt, 0, sizeof(madt));
	if (srat_table.data)
		check_srat(json_object_get(expected, "srat"), json_object_get(headers, "SRAT"),
			srat_table);
	if (slit_table.data)
		check_slit(json_object_get(expected, "slit"), json_object_get(headers, "SLIT"),
			slit_table);
	if (madt_table.data)
		check_madt(json_object_get(expected, "madt"), json_object_get(headers, "APIC"),
			madt_table);
	if (srat_table.data && madt_table.data && cross)
		check_cross(cross, srat_table);
	describe(text, sizeof(text), srat_table, slit_table);
	input_end("%s", text);
}

void check_table_folder(const char *folder, const char *name)
{
	char path[1000];

	input_begin(folder, name);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	json_t *expected = read_json(path, "expected.json");
	if (!expected) {
		expect(false, "no expected.json");
		input_end("not a table set");
		return;
	}
	struct bytes srat_table = read_file(path, "SRAT.bin");
	struct bytes slit_table = read_file(path, "SLIT.bin");
	struct bytes madt_table = read_file(path, "APIC.bin");
	struct bytes hmat_table = read_file(path, "HMAT.bin");

	check_tables(expected, srat_table, slit_table, madt_table);
	if (hmat_table.data)
		input_skip();
	free(srat_table.data);
	free(slit_table.data);
	free(madt_table.data);
	free(hmat_table.data);
	json_decref(expected);
}
