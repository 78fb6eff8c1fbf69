/*
 * Fuzzes the SRAT parser against one that is slow and simple: each question looks at all entries
 * again.
 */
#include <stdlib.h>
#include <string.h>

#include "mm/srat.h"
#include "test/fuzz/tables.h"

#define FIXED_BYTES 48
#define NR_CPUS	    8

struct claim {
	bool counts; /* enabled, of a type that matters, and of a CPU that is one */
	bool first;  /* that names its domain */
	bool is_memory;
	uint32_t domain, apic_id;
	uint64_t start, size;
	unsigned flags, node;
};

static struct claim claims[MAX_ENTRIES];
static unsigned nr_claims;

/* False: too short for its type. */
static bool read_claim(const struct table *table, const struct entry *entry, struct claim *claim)
{
	static const unsigned least[] = {16, 40, 24};
	const uint8_t *at = entry->at;

	*claim = (struct claim){0};
	if (entry->type > 2)
		return true;
	if (entry->size < least[entry->type])
		return false;
	switch (entry->type) {
	case 0:
		claim->flags = (unsigned)number_at(at + 4, 4);
		claim->domain = (uint32_t)(at[2] | number_at(at + 9, 3) << 8);
		claim->apic_id = at[3];
		claim->counts = claim->apic_id != 0xff;
		break;
	case 1:
		claim->flags = (unsigned)number_at(at + 28, 4);
		claim->domain = (uint32_t)number_at(at + 2, 4);
		claim->start = number_at(at + 8, 8);
		claim->size = number_at(at + 16, 8);
		claim->is_memory = claim->counts = true;
		break;
	default:
		claim->flags = (unsigned)number_at(at + 12, 4);
		claim->domain = (uint32_t)number_at(at + 4, 4);
		claim->apic_id = (uint32_t)number_at(at + 8, 4);
		claim->counts = claim->apic_id != 0xffffffff;
	}
	if (table->version < 2)
		claim->domain &= 0xff;
	claim->counts = claim->counts && claim->flags & 1;
	return true;
}

/* The verdict; what the entries say is in `claims`. */
static unsigned judge(const struct table *table)
{
	bool memory = false;

	nr_claims = 0;
	if (table->opens != ACPI_USABLE)
		return table->opens;
	for (; nr_claims < table->nr_entries; nr_claims++) {
		struct claim *claim = &claims[nr_claims];

		if (!read_claim(table, &table->entries[nr_claims], claim))
			return table->entries[nr_claims].type == 1 ? SRAT_MEMORY_SHORT
								   : SRAT_CPU_SHORT;
		memory |= claim->counts && claim->is_memory;
	}
	if (table->ending == ENDS_WITHOUT_LENGTH)
		return SRAT_ENTRY_LENGTH;
	return memory ? ACPI_USABLE : SRAT_NO_MEMORY;
}

/* How many smaller domains there are: the number of the node, unless it is past the limit. */
static void number_domains(void)
{
	for (unsigned i = 0; i < nr_claims; i++) {
		claims[i].first = claims[i].counts;
		for (unsigned j = 0; j < i; j++)
			if (claims[j].first && claims[j].domain == claims[i].domain)
				claims[i].first = false;
	}
	for (unsigned i = 0; i < nr_claims; i++) {
		claims[i].node = 0;
		for (unsigned j = 0; j < nr_claims; j++)
			claims[i].node += claims[j].first && claims[j].domain < claims[i].domain;
	}
}

static void check_cpu(uint32_t apic_id, unsigned got)
{
	unsigned want = SRAT_NO_NODE;

	for (unsigned i = 0; i < nr_claims; i++)
		if (claims[i].counts && !claims[i].is_memory && claims[i].apic_id == apic_id &&
			claims[i].node < DOLMEN_MAX_NODES)
			want = claims[i].node;
	REQUIRE(got == want, "CPU %x is on node %u, not %u", apic_id, got, want);
}

static bool is_stored(const struct srat *srat, const struct claim *claim)
{
	for (unsigned i = 0; i < srat->nr_memory; i++) {
		const struct srat_memory *memory = &srat->memory[i];

		if (memory->first_byte == claim->start &&
			memory->last_byte == claim->start + claim->size - 1 &&
			memory->nid == claim->node && memory->hotplug == !!(claim->flags & 2) &&
			memory->nonvolatile == !!(claim->flags & 4))
			return true;
	}
	return srat->nr_memory == DOLMEN_MAX_RANGES;
}

/* Every memory entry is stored, and in order; what is stored is no more than that. */
static void check_entries(const struct table *table, const struct srat *srat)
{
	unsigned nr = 0, nr_memory = 0, nr_cpus = 0, nr_far = 0, nr_other = 0;

	for (unsigned i = 0; i < nr_claims; i++) {
		const struct claim *claim = &claims[i];

		nr_other += table->entries[i].type > 2;
		if (!claim->counts)
			continue;
		nr_far += claim->node >= DOLMEN_MAX_NODES;
		if (claim->node >= DOLMEN_MAX_NODES)
			continue;
		REQUIRE(srat->pxm[claim->node] == claim->domain, "node %u is domain %u, not %u",
			claim->node, srat->pxm[claim->node], claim->domain);
		nr_cpus += !claim->is_memory;
		nr_memory += claim->is_memory;
		if (!claim->size || claim->start + claim->size - 1 < claim->start)
			continue;
		nr++;
		REQUIRE(is_stored(srat, claim), "memory at %lx is lost", claim->start);
	}
	REQUIRE(srat->nr_memory + srat->nr_ignored_memory == nr, "%u memory ranges, not %u",
		srat->nr_memory, nr);
	REQUIRE(srat->nr_cpu_entries == nr_cpus && srat->nr_memory_entries == nr_memory &&
			srat->nr_ignored_entries == nr_far && srat->nr_skipped == nr_other,
		"counted %u %u %u %u, not %u %u %u %u", srat->nr_cpu_entries,
		srat->nr_memory_entries, srat->nr_ignored_entries, srat->nr_skipped, nr_cpus,
		nr_memory, nr_far, nr_other);
	for (unsigned i = 1; i < srat->nr_memory; i++)
		REQUIRE(srat->memory[i - 1].first_byte <= srat->memory[i].first_byte,
			"memory %u is not in order", i);
}

/* The same memory, said by the host, is the same. */
static void check_nodes(const struct srat *table)
{
	static struct node_memory memory[MAX_ENTRIES];
	static struct srat srat;
	struct dolmen_nodes nodes = {.nr_nodes = DOLMEN_MAX_NODES, .memory = memory};
	unsigned nr_far = 0;

	for (unsigned i = 0; i < nr_claims; i++) {
		if (!claims[i].counts || !claims[i].is_memory)
			continue;
		nr_far += claims[i].node >= DOLMEN_MAX_NODES;
		memory[nodes.nr_memory++] = (struct node_memory){
			.start_bytes = claims[i].start,
			.size_bytes = claims[i].size,
			.nid = claims[i].node,
		};
	}
	unsigned got = srat_of_nodes(&nodes, &srat);
	unsigned want = nr_far < nodes.nr_memory ? ACPI_USABLE : SRAT_NO_MEMORY;
	REQUIRE(got == want, "%s, not %s", acpi_verdict_text(got), acpi_verdict_text(want));
	REQUIRE(srat.nr_ignored_entries == nr_far && srat.nr_memory == table->nr_memory,
		"%u ranges of memory and %u far ones, not %u and %u", srat.nr_memory,
		srat.nr_ignored_entries, table->nr_memory, nr_far);
	for (unsigned i = 0; i < srat.nr_memory; i++)
		REQUIRE(srat.memory[i].first_byte == table->memory[i].first_byte &&
				srat.memory[i].last_byte == table->memory[i].last_byte &&
				srat.memory[i].nid == table->memory[i].nid,
			"memory %u is another", i);
}

void fuzz_one(const uint8_t *bytes, size_t size_bytes)
{
	static struct srat srat;
	static const uint32_t ids[NR_CPUS] = {0, 1, 2, 3, 0x41, 0xff, 0x4141, 0xffffffff};
	struct table *table = table_make(bytes, size_bytes, "SRAT", FIXED_BYTES);
	unsigned want = judge(table);
	uint8_t nids[NR_CPUS];

	memset(&srat, 0xa5, sizeof(srat));
	unsigned got = srat_parse(table->bytes, table->size_bytes, &srat);
	REQUIRE(got == want, "%s, not %s", acpi_verdict_text(got), acpi_verdict_text(want));
	if (got == ACPI_USABLE) {
		number_domains();
		REQUIRE(srat.nr_nodes && srat.nr_nodes <= DOLMEN_MAX_NODES, "%u nodes",
			srat.nr_nodes);
		REQUIRE(srat.truncated == (table->ending == ENDS_CUT), "truncated: %d",
			srat.truncated);
		REQUIRE(srat.bad_checksum == !!table->sum, "bad checksum: %d", srat.bad_checksum);
		check_entries(table, &srat);
		check_nodes(&srat);
		srat_cpu_nodes(table->bytes, table->size_bytes, &srat, ids, NR_CPUS, nids);
		for (unsigned i = 0; i < NR_CPUS; i++)
			check_cpu(ids[i], nids[i]);
	} else {
		REQUIRE(!srat.nr_nodes, "%u nodes of an unusable table", srat.nr_nodes);
	}
	table_free(table);
}
