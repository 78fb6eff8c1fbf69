/*
 * Prints rows: see report.h.
 */
#include "bench/report.h"

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include "bench/machine.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/stats.h"

#define JSON_PREFIX "json: "

static unsigned nr_words, nr_seen, nr_above, nr_hoards;
static char **words;
static bool listing, named, headed;
static const char *workload;
static bool instructions; /* ticks are, and goals hold */
static const char *build;

/* ---- which rows ---- */

static bool says(const char *text)
{
	for (unsigned i = 0; i < nr_words; i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

static const char *build_name(void)
{
	bool exact = !cache_knob(kmalloc_caches[kmalloc_class(64)][0], KNOB_SHEAF);

	if (machine_build())
		return machine_build();
	if (!port_has_cas16())
		return exact ? "exact page-lock" : "page-lock";
	if (exact)
		return "exact";
#ifdef PORT_HAS_WINDOWS
	return "default";
#else
	return "no-windows";
#endif
}

void report_begin(unsigned nr, char **of, bool list)
{
	nr_words = nr;
	words = of;
	listing = list;
	headed = false;
	nr_seen = nr_above = nr_hoards = 0;
	build = build_name();
	instructions = machine_counts_instructions() && !strcmp(build, "default");
	if (list)
		return;
	machine_print("%s; %u CPUs, %u nodes, %s build; for each call, median of %u windows\n",
		machine_counts_instructions() ? "instructions" : "ticks, not instructions",
		machine_nr_online(), numa_nr_nodes(), build, measure_windows());
}

bool report_workload(const char *name, const char *kind, unsigned nr_cpus, unsigned nr_nodes)
{
	workload = name;
	named = says(name) || says(kind);
	headed = false;
	if (listing) {
		machine_print("%s, %s", name, kind);
		if (nr_cpus > 1)
			machine_print(", needs %u CPUs and %u node%s", nr_cpus, nr_nodes,
				&"s"[nr_nodes < 2]);
		machine_print("\n");
		return true;
	}
	if (machine_nr_online() >= nr_cpus && numa_nr_nodes() >= nr_nodes)
		return true;
	if (named)
		machine_print("%s needs %u CPUs and %u nodes\n", name, nr_cpus, nr_nodes);
	return false;
}

bool report_wants(const char *id)
{
	if (listing) {
		machine_print("    %s\n", id);
		return false;
	}
	if (nr_words && !named && !says(id))
		return false;
	nr_seen++;
	return true;
}

/* ---- one row ---- */

const char *report_verdict(uint64_t value, struct goal goal)
{
	if (!instructions || !goal.goal)
		return "";
	if (value <= goal.goal)
		return "ok";
	if (value <= goal.limit)
		return "short";
	nr_above++;
	return "ABOVE";
}

/* What sheaves hold of all caches. A cache that is past its bound is named, and fails. */
static uint64_t hoarded(const char *id)
{
	static struct cache_stats stats;
	uint64_t sum = 0;

	for (unsigned n = 0; cache_stats_nth(n, &stats); n++) {
		uint64_t bytes = stats.in_sheaves * stats.stride_bytes;

		sum += bytes;
		if (bytes <= stats.hoard_bound)
			continue;
		nr_hoards++;
		machine_print("%s: sheaves of %s hold %lu bytes, the bound is %lu\n", id,
			stats.name, bytes, stats.hoard_bound);
	}
	return sum;
}

static const char *tenths(char buf[16], unsigned value)
{
	format_text(buf, 16, "%u.%u", value / 10, value % 10);
	return buf;
}

static void print_goal(struct figure figure, struct goal goal)
{
	char median[16], wanted[16] = "";

	if (goal.goal && instructions)
		tenths(wanted, goal.goal);
	machine_print(" %8s %6s  %-5s", tenths(median, figure.median), wanted,
		report_verdict(figure.median, goal));
}

static void print_json(const char *id, const char *members, const char *more)
{
	machine_print(JSON_PREFIX "{\"id\": \"%s\", %s, \"cpus\": %u, \"nodes\": %u, "
				  "\"build\": \"%s\"%s}\n",
		id, members, machine_nr_online(), numa_nr_nodes(), build, more ? more : "");
}

static void end_row(uint64_t hoard, const char *note)
{
	char bytes[16];

	machine_print(" %10s\n", format_bytes(bytes, sizeof(bytes), hoard));
	if (note)
		machine_print("    %s\n", note);
}

void report_costs(const char *id, struct costs *costs, struct goal alloc_goal,
	struct goal free_goal, const char *note, const char *json)
{
	struct figure alloc = measure_figure(costs->alloc, costs->nr),
		      free = measure_figure(costs->free, costs->nr);
	unsigned spread = alloc.most - alloc.least + free.most - free.least;
	uint64_t hoard = hoarded(id);
	char members[160], a[16], f[16], s[16];

	if (!headed)
		machine_print("%-20s %8s %6s  %-5s %8s %6s  %-5s %7s %10s\n", workload, "alloc",
			"goal", "", "free", "goal", "", "spread", "hoarded");
	headed = true;
	machine_print("%-20s", id);
	print_goal(alloc, alloc_goal);
	print_goal(free, free_goal);
	machine_print(" %7s", tenths(s, spread));
	end_row(hoard, note);
	format_text(members, sizeof(members), "\"alloc\": %s, \"free\": %s, \"spread\": %s",
		tenths(a, alloc.median), tenths(f, free.median), s);
	print_json(id, members, json);
	dolmen_drain_all();
}

void report_memory(
	const char *id, unsigned permille, unsigned goal, const char *note, const char *json)
{
	uint64_t hoard = hoarded(id);
	char members[64], wanted[16] = "";

	if (!headed)
		machine_print(
			"%-20s %8s %6s  %-5s %51s\n", workload, "held", "goal", "", "hoarded");
	headed = true;
	if (goal)
		format_text(wanted, sizeof(wanted), "%u.%03u", goal / 1000, goal % 1000);
	machine_print("%-20s %4u.%03u %6s  %-5s %40s", id, permille / 1000, permille % 1000, wanted,
		report_verdict(permille, (struct goal){goal, NO_LIMIT}), "");
	end_row(hoard, note);
	format_text(
		members, sizeof(members), "\"held\": %u.%03u", permille / 1000, permille % 1000);
	print_json(id, members, json);
	dolmen_drain_all();
}

bool report_end(void)
{
	for (unsigned i = 0; i < nr_words && !nr_seen; i++)
		machine_print("bench: no row that this machine can run has \"%s\" in its id; "
			      "\"bench list\" has them all\n",
			words[i]);
	if (nr_seen && instructions)
		machine_print("bench: %u above their limits\n", nr_above);
	if (nr_hoards)
		machine_print("bench: sheaves hold more than their bound, %u times\n", nr_hoards);
	return nr_seen && !nr_above && !nr_hoards;
}
