/*
 * SRAT parser: see mm/srat.h.
 *
 * Two passes over the bytes: the first finds the domains, so that the second can store nodes.
 * Between bounds checks and values stands the enabled flag: what a disabled entry says is never
 * looked at, for real firmware leaves garbage there. Revisions 0 and 1 have 8-bit domains and leave
 * garbage in the other 24 bits.
 */
#include "mm/srat.h"

#include "lib/sort.h"
#include "mm/acpi_table.h"

#define FIXED_BYTES 48

enum {
	TYPE_LOCAL_APIC = 0,
	TYPE_MEMORY = 1,
	TYPE_X2APIC = 2,
};

#define LOCAL_APIC_BYTES 16
#define MEMORY_BYTES	 40
#define X2APIC_BYTES	 24

#define ENABLED	    1u
#define HOTPLUG	    2u
#define NONVOLATILE 4u

/* Ids that name no CPU: broadcast, and what fills unused slots. */
#define LOCAL_APIC_BROADCAST 0xffu
#define X2APIC_BROADCAST     0xffffffffu

/* An enabled entry of a type that counts. */
struct affinity {
	bool is_cpu;
	uint32_t pxm;
	uint32_t apic_id;
	uint64_t start_bytes, size_bytes;
	bool hotplug, nonvolatile;
};

enum decoded {
	DECODED,
	DECODED_DISABLED,
	DECODED_SKIPPED,
	DECODED_CPU_SHORT,
	DECODED_MEMORY_SHORT
};

static enum decoded decode_cpu(
	const struct acpi_entry *entry, uint8_t revision, struct affinity *to)
{
	const uint8_t *bytes = entry->bytes;
	bool wide = entry->type == TYPE_X2APIC;

	if (entry->size_bytes < (wide ? X2APIC_BYTES : LOCAL_APIC_BYTES))
		return DECODED_CPU_SHORT;
	if (!(acpi_load32(bytes + (wide ? 12 : 4)) & ENABLED))
		return DECODED_DISABLED;
	to->is_cpu = true;
	if (wide) {
		to->pxm = acpi_load32(bytes + 4);
		if (revision < 2)
			to->pxm &= 0xff;
		to->apic_id = acpi_load32(bytes + 8);
		return to->apic_id == X2APIC_BROADCAST ? DECODED_DISABLED : DECODED;
	}
	to->pxm = bytes[2];
	if (revision >= 2)
		to->pxm |= (uint32_t)bytes[9] << 8 | (uint32_t)bytes[10] << 16 |
			   (uint32_t)bytes[11] << 24;
	to->apic_id = bytes[3];
	return to->apic_id == LOCAL_APIC_BROADCAST ? DECODED_DISABLED : DECODED;
}

static enum decoded decode_memory(
	const struct acpi_entry *entry, uint8_t revision, struct affinity *to)
{
	const uint8_t *bytes = entry->bytes;

	if (entry->size_bytes < MEMORY_BYTES)
		return DECODED_MEMORY_SHORT;

	uint32_t flags = acpi_load32(bytes + 28);
	if (!(flags & ENABLED))
		return DECODED_DISABLED;
	to->is_cpu = false;
	to->pxm = acpi_load32(bytes + 2);
	if (revision < 2)
		to->pxm &= 0xff;
	to->start_bytes = acpi_load64(bytes + 8);
	to->size_bytes = acpi_load64(bytes + 16);
	to->hotplug = flags & HOTPLUG;
	to->nonvolatile = flags & NONVOLATILE;
	return DECODED;
}

static enum decoded decode(const struct acpi_entry *entry, uint8_t revision, struct affinity *to)
{
	switch (entry->type) {
	case TYPE_LOCAL_APIC:
	case TYPE_X2APIC:
		return decode_cpu(entry, revision, to);
	case TYPE_MEMORY:
		return decode_memory(entry, revision, to);
	default:
		return DECODED_SKIPPED;
	}
}

/* Where `pxm` is among the nodes, or where it would have to be. */
static unsigned node_position(const struct srat *srat, uint32_t pxm)
{
	unsigned low = 0, high = srat->nr_nodes;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (srat->pxm[middle] < pxm)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_node(const struct srat *srat, unsigned position, uint32_t pxm)
{
	return position < srat->nr_nodes && srat->pxm[position] == pxm;
}

/* Keeps the DOLMEN_MAX_NODES smallest domains, sorted. */
static void add_domain(struct srat *srat, uint32_t pxm)
{
	unsigned at = node_position(srat, pxm);

	if (is_node(srat, at, pxm) || at == DOLMEN_MAX_NODES)
		return;
	if (srat->nr_nodes < DOLMEN_MAX_NODES)
		srat->nr_nodes++;
	memmove(&srat->pxm[at + 1], &srat->pxm[at],
		(srat->nr_nodes - 1 - at) * sizeof(srat->pxm[0]));
	srat->pxm[at] = pxm;
}

/* First pass: judges the table's shape, finds the domains. */
static enum acpi_verdict find_domains(const struct acpi_table *table, struct srat *out)
{
	size_t offset = FIXED_BYTES;
	struct acpi_entry entry;
	struct affinity affinity;
	enum acpi_step step;
	bool has_memory = false;

	while ((step = acpi_next(table, &offset, &entry)) == ACPI_ENTRY) {
		switch (decode(&entry, table->revision, &affinity)) {
		case DECODED:
			has_memory |= !affinity.is_cpu;
			add_domain(out, affinity.pxm);
			break;
		case DECODED_DISABLED:
			break;
		case DECODED_SKIPPED:
			out->nr_skipped++;
			break;
		case DECODED_CPU_SHORT:
			return SRAT_CPU_SHORT;
		case DECODED_MEMORY_SHORT:
			return SRAT_MEMORY_SHORT;
		}
	}
	if (step == ACPI_NO_LENGTH)
		return SRAT_ENTRY_LENGTH;
	out->truncated = step == ACPI_TRUNCATED;
	return has_memory ? ACPI_USABLE : SRAT_NO_MEMORY;
}

static void add_memory(struct srat *out, const struct affinity *affinity, unsigned nid)
{
	out->nr_memory_entries++;
	if (!affinity->size_bytes || affinity->size_bytes - 1 > UINT64_MAX - affinity->start_bytes)
		return;
	if (out->nr_memory == DOLMEN_MAX_RANGES) {
		out->nr_ignored_memory++;
		return;
	}
	out->memory[out->nr_memory++] = (struct srat_memory){
		.first_byte = affinity->start_bytes,
		.last_byte = affinity->start_bytes + (affinity->size_bytes - 1),
		.nid = (uint8_t)nid,
		.hotplug = affinity->hotplug,
		.nonvolatile = affinity->nonvolatile,
	};
}

/* Second pass: stores what the enabled entries say. */
static void store_entries(const struct acpi_table *table, struct srat *out)
{
	size_t offset = FIXED_BYTES;
	struct acpi_entry entry;
	struct affinity affinity;

	while (acpi_next(table, &offset, &entry) == ACPI_ENTRY) {
		if (decode(&entry, table->revision, &affinity) != DECODED)
			continue;
		unsigned nid = node_position(out, affinity.pxm);
		if (!is_node(out, nid, affinity.pxm))
			out->nr_ignored_entries++;
		else if (affinity.is_cpu)
			out->nr_cpu_entries++;
		else
			add_memory(out, &affinity, nid);
	}
}

static int compare_memory(const void *a, const void *b)
{
	const struct srat_memory *left = a, *right = b;

	if (left->first_byte != right->first_byte)
		return left->first_byte < right->first_byte ? -1 : 1;
	if (left->last_byte != right->last_byte)
		return left->last_byte < right->last_byte ? -1 : 1;
	return left->nid - right->nid;
}

enum acpi_verdict srat_parse(const void *bytes, size_t size_bytes, struct srat *out)
{
	struct acpi_table table;

	memset(out, 0, sizeof(*out));
	enum acpi_verdict verdict = acpi_open(bytes, size_bytes, "SRAT", FIXED_BYTES, &table);
	if (verdict != ACPI_USABLE)
		return verdict;
	out->bad_checksum = table.bad_checksum;
	verdict = find_domains(&table, out);
	if (verdict != ACPI_USABLE) {
		out->nr_nodes = 0;
		return verdict;
	}
	store_entries(&table, out);
	heap_sort(out->memory, out->nr_memory, sizeof(out->memory[0]), compare_memory);
	return ACPI_USABLE;
}

enum acpi_verdict srat_of_nodes(const struct dolmen_nodes *nodes, struct srat *out)
{
	memset(out, 0, sizeof(*out));
	out->nr_nodes = nodes->nr_nodes < DOLMEN_MAX_NODES ? nodes->nr_nodes : DOLMEN_MAX_NODES;
	for (unsigned nid = 0; nid < out->nr_nodes; nid++)
		out->pxm[nid] = nid;
	for (unsigned i = 0; i < nodes->nr_memory; i++) {
		const struct node_memory *memory = &nodes->memory[i];
		const struct affinity affinity = {
			.start_bytes = memory->start_bytes,
			.size_bytes = memory->size_bytes,
		};

		if (memory->nid < out->nr_nodes)
			add_memory(out, &affinity, memory->nid);
		else
			out->nr_ignored_entries++;
	}
	heap_sort(out->memory, out->nr_memory, sizeof(out->memory[0]), compare_memory);
	return out->nr_memory_entries ? ACPI_USABLE : SRAT_NO_MEMORY;
}

void srat_cpu_nodes(const void *bytes, size_t size_bytes, const struct srat *srat,
	const uint32_t *apic_ids, unsigned nr_cpus, uint8_t *nids)
{
	struct acpi_table table;
	struct acpi_entry entry;
	struct affinity affinity;
	size_t offset = FIXED_BYTES;

	memset(nids, SRAT_NO_NODE, nr_cpus);
	if (acpi_open(bytes, size_bytes, "SRAT", FIXED_BYTES, &table) != ACPI_USABLE)
		return;
	while (acpi_next(&table, &offset, &entry) == ACPI_ENTRY) {
		if (decode(&entry, table.revision, &affinity) != DECODED || !affinity.is_cpu)
			continue;
		unsigned nid = node_position(srat, affinity.pxm);
		if (!is_node(srat, nid, affinity.pxm))
			continue;
		for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
			if (apic_ids[cpu] == affinity.apic_id)
				nids[cpu] = (uint8_t)nid;
		}
	}
}
