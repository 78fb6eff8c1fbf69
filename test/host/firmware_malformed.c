/*
 * Malformed inputs: malformed/INDEX.tsv says for each what a robust kernel does.
 *
 *	accept	usable. Where INDEX.tsv says "result as the base table" it is compared with
 *		that; where there is a NAME.expected.json, with that.
 *	reject	not used: the SRAT leaves one node, the SLIT no distances, the MADT the boot CPU,
 *		a map no memory
 *	policy	our choice is printed
 *
 * The line that a table comes to may be stated too: in a sixth column of INDEX.tsv, or in
 * firmware_stated.c.
 *
 * Tables of memory affinity meet a machine of 8 GiB with the usual holes.
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
#include "test/host/stated.h"

static const struct mem_range ram[] = {
	{0, 0x9f000, MEM_USABLE},
	{0x100000, 0xbff00000, MEM_USABLE},
	{0x100000000, 0x140000000, MEM_USABLE},
};

/* What one table comes to. */
struct outcome {
	enum acpi_verdict verdict;
	char text[400];
};

static const char *corpus_folder;

/* ---- SRAT ---- */

static struct srat srat, base_srat;
static uint32_t probe_ids[DOLMEN_MAX_CPUS];
static uint8_t probe_nids[DOLMEN_MAX_CPUS], base_nids[DOLMEN_MAX_CPUS];

/* The nodes of CPUs 0..509, and of two ids far off. */
static void probe_cpus(struct bytes table, const struct srat *parsed, uint8_t *nids)
{
	for (unsigned i = 0; i < DOLMEN_MAX_CPUS; i++)
		probe_ids[i] = i;
	probe_ids[DOLMEN_MAX_CPUS - 2] = 0x7fffffff;
	probe_ids[DOLMEN_MAX_CPUS - 1] = 0xffffffff;
	srat_cpu_nodes(table.data, table.size_bytes, parsed, probe_ids, DOLMEN_MAX_CPUS, nids);
}

/* "2 nodes 0:4/524191 1:4/1048576": domain, CPUs, pages; only sums for more than eight nodes. */
static void describe_nodes(struct outcome *outcome, const uint64_t *pages)
{
	unsigned cpus[DOLMEN_MAX_NODES] = {0}, nr_cpus = 0;
	uint64_t nr_pages = 0;
	size_t room = sizeof(outcome->text);
	char *at = outcome->text;

	for (unsigned i = 0; i < DOLMEN_MAX_CPUS; i++) {
		if (probe_nids[i] != SRAT_NO_NODE)
			cpus[probe_nids[i]]++;
	}
	at += snprintf(at, room, "%u nodes", srat.nr_nodes);
	for (unsigned nid = 0; nid < srat.nr_nodes; nid++) {
		nr_cpus += cpus[nid];
		nr_pages += pages[nid];
		room = sizeof(outcome->text) - (size_t)(at - outcome->text);
		if (srat.nr_nodes <= 8)
			at += snprintf(
				at, room, " %#x:%u/%" PRIu64, srat.pxm[nid], cpus[nid], pages[nid]);
	}
	if (srat.nr_nodes > 8)
		snprintf(at, room, " %u..%u: %u CPUs, %" PRIu64 " pages", srat.pxm[0],
			srat.pxm[srat.nr_nodes - 1], nr_cpus, nr_pages);
}

static void run_srat(struct bytes table, struct outcome *outcome)
{
	static struct pfn_range all[DOLMEN_MAX_RANGES], cut[DOLMEN_MAX_RANGES];
	struct range_result result;
	struct range_nodes nodes;
	uint64_t pages[DOLMEN_MAX_NODES] = {0}, nr_pages = 0;

	outcome->verdict = srat_parse(table.data, table.size_bytes, &srat);
	if (outcome->verdict == ACPI_USABLE) {
		range_normalise(ram, sizeof(ram) / sizeof(ram[0]), all, DOLMEN_MAX_RANGES, &result);
		outcome->verdict =
			range_assign(all, result.nr_ranges, &srat, cut, DOLMEN_MAX_RANGES, &nodes);
	}
	if (outcome->verdict != ACPI_USABLE)
		return;
	for (unsigned i = 0; i < nodes.nr_ranges; i++) {
		pages[cut[i].nid] += cut[i].end_pfn - cut[i].start_pfn;
		nr_pages += cut[i].end_pfn - cut[i].start_pfn;
	}
	expect(nr_pages == result.nr_pages, "%" PRIu64 " pages of %" PRIu64, nr_pages,
		result.nr_pages);
	probe_cpus(table, &srat, probe_nids);
	describe_nodes(outcome, pages);
}

static void compare_with_base(const char *base)
{
	char folder[1000];

	snprintf(folder, sizeof(folder), "%s/tables/%s", corpus_folder, base);
	struct bytes table = read_file(folder, "SRAT.bin");
	expect(table.data, "no base table %s", base);
	if (!table.data)
		return;
	srat_parse(table.data, table.size_bytes, &base_srat);
	probe_cpus(table, &base_srat, base_nids);
	free(table.data);
	expect(srat.nr_nodes == base_srat.nr_nodes &&
			!memcmp(srat.pxm, base_srat.pxm, sizeof(srat.pxm)),
		"other nodes than the base table");
	expect(srat.nr_memory == base_srat.nr_memory &&
			!memcmp(srat.memory, base_srat.memory, sizeof(srat.memory)),
		"other memory than the base table");
	expect(!memcmp(probe_nids, base_nids, sizeof(base_nids)), "other CPUs than the base table");
}

/* ---- SLIT, MADT ---- */

static void run_slit(struct bytes table, struct outcome *outcome)
{
	struct slit slit;

	outcome->verdict = slit_parse(table.data, table.size_bytes, &slit);
	snprintf(outcome->text, sizeof(outcome->text),
		"%" PRIu64 " domains, 0-1 %u, 1-0 %u, 0-7 %u, 7-0 %u", slit.nr_domains,
		slit_distance(&slit, 0, 1), slit_distance(&slit, 1, 0), slit_distance(&slit, 0, 7),
		slit_distance(&slit, 7, 0));
}

/* The CPU that is said to run when the table is read: the first of the base table, or 0. */
static uint32_t boot_cpu_of(const char *base)
{
	char folder[1000];

	snprintf(folder, sizeof(folder), "%s/tables/%s", corpus_folder, base);
	json_t *expected = read_json(folder, "expected.json");
	const json_t *first = json_array_get(
		json_object_get(json_object_get(expected, "madt"), "enabled_apic_ids"), 0);
	uint32_t boot = first ? (uint32_t)json_u64(first) : 0;

	json_decref(expected);
	return boot;
}

static void run_madt(struct bytes table, const char *base, struct outcome *outcome)
{
	static uint32_t ids[DOLMEN_MAX_CPUS];
	struct madt_result madt;
	uint32_t boot = boot_cpu_of(base);

	outcome->verdict =
		madt_parse(table.data, table.size_bytes, boot, ids, DOLMEN_MAX_CPUS, &madt);
	expect(ids[0] == boot, "CPU 0 is %u, not the boot CPU", ids[0]);
	for (unsigned i = 0; i < madt.nr_cpus; i++) {
		for (unsigned j = 0; j < i; j++)
			expect(ids[i] != ids[j], "CPU %u twice", ids[i]);
	}
	expect(outcome->verdict == ACPI_USABLE || madt.nr_cpus == 1,
		"CPUs of a table that is not used");
	snprintf(outcome->text, sizeof(outcome->text), "%u CPUs, last %#x, %u left out",
		madt.nr_cpus, ids[madt.nr_cpus - 1], madt.nr_past_limit);
}

/* ---- one line of the index ---- */

struct index_line {
	const char *file, *base, *verdict, *behaviour, *outcome;
};

static void judge(const struct index_line *line, const struct outcome *outcome)
{
	const char *stated = line->outcome[0] ? line->outcome : stated_outcome(line->file);
	const char *text = outcome->verdict == ACPI_USABLE ? outcome->text
							   : acpi_verdict_text(outcome->verdict);
	bool policy = !strcmp(line->verdict, "policy");

	if (!policy)
		expect((outcome->verdict == ACPI_USABLE) == !strcmp(line->verdict, "accept"),
			"should be: %s", line->verdict);
	if (stated)
		expect(!strcmp(text, stated), "should be: %s", stated);
	input_end("%s%s%s", policy ? "our choice: " : "",
		outcome->verdict == ACPI_USABLE ? "" : "not used: ", text);
}

/*
 * True if the corpus states the whole result, in which case it is compared and the line is printed.
 */
static bool check_stated_tables(const char *folder, const char *file, struct bytes table)
{
	static const struct bytes none;
	char stem[300];

	snprintf(stem, sizeof(stem), "%.*s.expected.json", (int)(strlen(file) - strlen(".bin")),
		file);
	json_t *expected = read_json(folder, stem);
	if (!expected)
		return false;
	check_tables(expected, strncmp(file, "srat", 4) ? none : table,
		strncmp(file, "slit", 4) ? none : table, strncmp(file, "madt", 4) ? none : table);
	json_decref(expected);
	return true;
}

static void check_table(const char *folder, const struct index_line *line)
{
	struct outcome outcome = {0};
	struct bytes table = read_file(folder, line->file);

	expect(table.data, "no such file");
	if (!strcmp(line->verdict, "accept") && check_stated_tables(folder, line->file, table)) {
		free(table.data);
		return;
	}
	if (!strncmp(line->file, "slit", 4)) {
		run_slit(table, &outcome);
	} else if (!strncmp(line->file, "madt", 4)) {
		run_madt(table, line->base, &outcome);
	} else {
		run_srat(table, &outcome);
		if (strstr(line->behaviour, "result as the base table"))
			compare_with_base(line->base);
	}
	free(table.data);
	judge(line, &outcome);
}

static void check_line(const char *folder, char *row)
{
	char *cells[6];

	for (int i = 0; i < 6; i++) {
		cells[i] = row ? row : (char *)"";
		row = row ? strchr(row, '\t') : NULL;
		if (row)
			*row++ = 0;
	}
	struct index_line line = {cells[0], cells[1], cells[2], cells[4], cells[5]};

	if (!strncmp(line.file, "hmat", 4)) {
		input_skip();
		return;
	}
	input_begin(folder, line.file);
	if (has_suffix(line.file, ".csv"))
		check_map_verdict(folder, line.file, line.verdict);
	else
		check_table(folder, &line);
}

void check_malformed(const char *corpus)
{
	char folder[1000];

	corpus_folder = corpus;
	snprintf(folder, sizeof(folder), "%s/malformed", corpus);
	struct bytes file = read_file(folder, "INDEX.tsv");
	if (!file.data)
		return;
	char *text = calloc(1, file.size_bytes + 1), *state = NULL;
	memcpy(text, file.data, file.size_bytes);

	/* The first line names the columns. */
	char *row = strtok_r(text, "\n", &state);
	while (row && (row = strtok_r(NULL, "\n", &state)))
		check_line(folder, row);
	free(text);
	free(file.data);
}
