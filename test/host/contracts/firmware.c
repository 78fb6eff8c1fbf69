/*
 * A machine as its firmware described it: a memory map as text, and SRAT, SLIT and MADT as bytes.
 *
 * A real machine has more memory than this host. So of each of its ranges only a part is left,
 * from its start on, the rest being reserved, until all fits: addresses, borders between ranges,
 * nodes and distances are the machine's own. Likewise of its CPUs some are taken, evenly.
 */
#include "test/host/contracts/contracts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dolmen/maps.h>
#include "mm/madt.h"
#include "mm/range.h"

#define MAX_LINES	 4096
#define LEAST_PAGES	 (32ull << 20 >> PAGE_SHIFT) /* of a range, when less than all is left */
#define DESCRIPTOR_BYTES 40
#define MAX_APIC_IDS	 4096

static struct mem_range raw[2 * MAX_LINES];
static unsigned nr_raw;
static struct pfn_range ranges[DOLMEN_MAX_RANGES];
static struct srat srat;
static uint32_t apic_ids[MAX_APIC_IDS];

/* ---- files ---- */

/* NULL without a name. The bytes live as long as the program. */
static char *read_file(const char *name, size_t *size_bytes)
{
	const size_t max_bytes = 4ul << 20;
	char *bytes;
	FILE *file;

	*size_bytes = 0;
	if (!name)
		return NULL;
	file = fopen(name, "rb");
	bytes = calloc(1, max_bytes);
	if (!file || !bytes)
		hosted_die("cannot read %s", name);
	*size_bytes = fread(bytes, 1, max_bytes - 1, file);
	fclose(file);
	return bytes;
}

/* The numbers in the first 6 columns of one line; false for a comment or heading. */
static bool read_columns(const char *row, uint64_t *columns)
{
	if (*row < '0' || *row > '9')
		return false;
	for (unsigned i = 0; i < 6; i++) {
		columns[i] = row ? strtoull(row, NULL, 0) : 0;
		row = row ? strchr(row, ',') : NULL;
		row = row ? row + 1 : NULL;
	}
	return true;
}

static void put(unsigned char *to, uint64_t value, size_t size_bytes)
{
	memcpy(to, &value, size_bytes);
}

/*
 * NAME.e820.csv: number, start, size, type. NAME.efi.csv: number, type, its name, start, pages,
 * attributes.
 */
static void read_map(const char *name)
{
	static unsigned char descriptors[MAX_LINES * DESCRIPTOR_BYTES];
	struct mem_ranges usable = {.range = raw, .max = MAX_LINES};
	bool is_efi = strstr(name, ".efi.");
	size_t size_bytes, map_bytes = 0;
	char *text = read_file(name, &size_bytes);
	uint64_t columns[6];

	for (char *row = strtok(text, "\n"); row && nr_raw < MAX_LINES; row = strtok(NULL, "\n")) {
		if (!read_columns(row, columns))
			continue;
		if (!is_efi) {
			raw[nr_raw++] = (struct mem_range){columns[1], columns[2],
				columns[3] == 1 ? MEM_USABLE : MEM_RESERVED};
			continue;
		}
		if (map_bytes == sizeof(descriptors))
			break;
		put(descriptors + map_bytes, columns[1], 4);
		put(descriptors + map_bytes + 8, columns[3], 8);
		put(descriptors + map_bytes + 24, columns[4], 8);
		put(descriptors + map_bytes + 32, columns[5], 8);
		map_bytes += DESCRIPTOR_BYTES;
	}
	if (is_efi) {
		dolmen_ranges_efi(
			&usable, descriptors, map_bytes, DESCRIPTOR_BYTES, MEM_LOADER_GONE);
		nr_raw = usable.nr;
	}
}

/* Without a map: memory is exactly where the SRAT says. */
static void map_of_srat(void)
{
	for (unsigned i = 0; i < srat.nr_memory; i++)
		if (!srat.memory[i].nonvolatile)
			raw[nr_raw++] = (struct mem_range){srat.memory[i].first_byte,
				srat.memory[i].last_byte - srat.memory[i].first_byte + 1,
				MEM_USABLE};
}

/* ---- less of everything ---- */

static void reserve(uint64_t start_bytes, uint64_t size_bytes)
{
	raw[nr_raw++] = (struct mem_range){start_bytes, size_bytes, MEM_RESERVED};
}

/* Cuts `ranges` where the node changes, so that each node keeps its part. */
static unsigned cut_by_node(unsigned nr_ranges)
{
	static struct pfn_range cut[DOLMEN_MAX_RANGES];
	struct range_nodes nodes;

	if (range_assign(ranges, nr_ranges, &srat, cut, DOLMEN_MAX_RANGES, &nodes) != ACPI_USABLE)
		return nr_ranges;
	memcpy(ranges, cut, nodes.nr_ranges * sizeof(cut[0]));
	return nodes.nr_ranges;
}

/* Leaves `size_bytes` of the usable memory, or a little more. The number of ranges left. */
static unsigned shrink(uint64_t size_bytes)
{
	uint64_t keep = size_bytes >> PAGE_SHIFT, whole;
	struct range_result result;

	range_normalise(raw, nr_raw, ranges, DOLMEN_MAX_RANGES, &result);
	whole = result.nr_pages;
	if (result.nr_ranges &&
		ranges[result.nr_ranges - 1].end_pfn > HOSTED_MAX_PHYS >> PAGE_SHIFT) {
		dprintf(STDOUT_FILENO, "# memory above 2^46 is left out\n");
		reserve(HOSTED_MAX_PHYS, -HOSTED_MAX_PHYS);
	}
	unsigned nr_pieces = cut_by_node(result.nr_ranges);

	for (unsigned i = 0; whole > keep && i < nr_pieces; i++) {
		uint64_t pages = ranges[i].end_pfn - ranges[i].start_pfn;
		uint64_t left = (uint64_t)((__uint128_t)pages * keep / whole);

		if (left < LEAST_PAGES)
			left = LEAST_PAGES;
		if (left < pages)
			reserve((ranges[i].start_pfn + left) << PAGE_SHIFT, (pages - left)
										    << PAGE_SHIFT);
	}
	range_normalise(raw, nr_raw, ranges, DOLMEN_MAX_RANGES, &result);
	dprintf(STDOUT_FILENO, "# %u ranges, %lu of %lu MiB\n", result.nr_ranges,
		result.nr_pages >> (20 - PAGE_SHIFT), whole >> (20 - PAGE_SHIFT));
	return result.nr_ranges;
}

/* ---- CPUs ---- */

static unsigned cpus_of_madt(const void *madt, size_t size_bytes)
{
	struct madt_result result;

	madt_parse(madt, size_bytes, 0, apic_ids, DOLMEN_MAX_CPUS, &result);
	/* If there is no CPU 0 the first that there is boots. */
	if (result.boot_cpu_added && result.nr_cpus > 1)
		madt_parse(madt, size_bytes, apic_ids[1], apic_ids, DOLMEN_MAX_CPUS, &result);
	return result.nr_cpus;
}

static unsigned cpus_of_srat(const void *bytes, size_t size_bytes)
{
	static uint8_t nids[MAX_APIC_IDS];
	unsigned nr = 0;

	for (unsigned id = 0; id < MAX_APIC_IDS; id++)
		apic_ids[id] = id;
	srat_cpu_nodes(bytes, size_bytes, &srat, apic_ids, MAX_APIC_IDS, nids);
	for (unsigned id = 0; id < MAX_APIC_IDS; id++)
		if (nids[id] != SRAT_NO_NODE)
			apic_ids[nr++] = id;
	return nr;
}

/* At most `max` of the `nr`, the first among them. */
static unsigned thin_out(unsigned nr, unsigned max)
{
	unsigned left = nr < max ? nr : max;

	for (unsigned i = 0; i < left; i++)
		apic_ids[i] = apic_ids[(uint64_t)i * nr / left];
	return left;
}

void described_machine(
	const struct machine_files *files, struct hosted_shape *shape, struct dolmen_init *init)
{
	size_t madt_bytes;
	char *madt = read_file(files->madt, &madt_bytes);
	unsigned nr_cpus = shape->nr_cpus;

	*init = (struct dolmen_init){.ranges = raw, .apic_ids = apic_ids};
	init->srat = read_file(files->srat, &init->srat_bytes);
	init->slit = read_file(files->slit, &init->slit_bytes);
	bool has_srat =
		init->srat && srat_parse(init->srat, init->srat_bytes, &srat) == ACPI_USABLE;

	if (files->map)
		read_map(files->map);
	else
		map_of_srat();
	if (!shrink(shape->size_bytes))
		hosted_die("no usable memory in the map or SRAT");
	init->nr_ranges = nr_raw;

	if (madt)
		nr_cpus = cpus_of_madt(madt, madt_bytes);
	else if (has_srat)
		nr_cpus = cpus_of_srat(init->srat, init->srat_bytes);
	if (!nr_cpus || (!madt && !has_srat))
		for (nr_cpus = 0; nr_cpus < shape->nr_cpus; nr_cpus++)
			apic_ids[nr_cpus] = nr_cpus;
	init->nr_cpus = shape->nr_cpus = thin_out(nr_cpus, shape->nr_cpus);
}
