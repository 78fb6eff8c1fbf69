/*
 * Runs the model: campaigns of random programs, the fixed scenarios, one failure again.
 *
 * A campaign is cut into pieces; each piece is a process of its own, since a machine boots once a
 * process. The seed of a program follows from the campaign's seed and its number, and everything
 * else from the seed of the program, so one number replays a failure. A piece that finds one
 * makes the program as short as it can and says how to run it again.
 */
#include "test/model/program.h"
#include "test/model/scenario.h"
#include "test/model/workload.h"
#include "mm/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum campaign_kind { WALK, PCT, TSO, DFS, OOM, NR_CAMPAIGNS };

static const char *const campaign_names[NR_CAMPAIGNS] = {
	"random walk", "PCT", "store buffers", "depth first", "out of memory"};
static const char *const campaign_options[NR_CAMPAIGNS] = {"walk", "pct", "tso", "dfs", "oom"};
static const char *const mode_names[2] = {"page locks", "cmpxchg16b"}; /* by cas16 */
static const char *const mode_options[2] = {"pagelock", "cx16"};

struct piece {
	enum campaign_kind kind;
	bool cas16;
	unsigned nr_nodes;
	uint64_t first, count; /* programs; of DFS: which scenario, 1 */
	/* Written by the process that runs it. */
	uint64_t schedules, longest; /* of a scenario: depth first; accesses of the longest */
	uint64_t points;	     /* of workloads: page allocations that failed in a run */
	uint64_t done, steps, nulls, stats[NR_KEPT_STATS];
	uint64_t trades, restarts, fenced; /* of sheaves and windows */
	bool exhausted, failed, finished;
	pid_t process; /* that runs it just now, 0: none */
};

#define PIECES_MAX 4096

static struct {
	uint64_t count[NR_CAMPAIGNS];
	uint64_t seed;
	unsigned depth, jobs;
	unsigned modes, nodes; /* bit 0: cmpxchg16b, one node; bit 1: page locks, two nodes */
	bool replay, trace, quiet, with_scenarios, migrate;
	uint64_t replay_seed;
	const char *scenario;
	uint64_t dfs_most; /* schedules of a scenario, more are left out */
} options = {.seed = 1, .depth = 3, .jobs = 2, .modes = 3, .nodes = 3, .dfs_most = UINT64_MAX};

static struct piece *pieces;
static unsigned nr_pieces;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- one program ---- */

static uint64_t seed_of(enum campaign_kind kind, uint64_t number)
{
	return model_mix(options.seed * 4 + kind) ^ model_mix(number);
}

static unsigned estimated_length(const struct program *program)
{
	unsigned nr_ops = 0;

	for (unsigned i = 0; i < program->nr_threads; i++)
		nr_ops += program->thread[i].nr_ops;
	return 32 * nr_ops;
}

static struct model_plan plan_of(
	enum campaign_kind kind, uint64_t seed, const struct program *program)
{
	static const uint8_t gaps[] = {1, 2, 4, 8, 16, 32};
	struct model_plan plan = {.seed = model_mix(seed + 1), .max_steps = 400000};

	plan.strategy = kind == PCT ? MODEL_PCT : kind == DFS ? MODEL_DFS : MODEL_WALK;
	plan.gap = gaps[model_mix(seed + 2) % sizeof(gaps)];
	plan.depth = options.depth;
	plan.length = estimated_length(program);
	plan.store_buffers = kind == TSO;
	plan.masks_windows = !(model_mix(seed + 4) % 4);
	/* Of the walks, every eighth moves threads. */
	plan.migrates = options.migrate || program->migrates ||
			(kind == WALK && !(model_mix(seed + 3) % 8));
	return plan;
}

/* ---- what failed ---- */

static void print_trace(void)
{
	static const char command[] = "addr2line -p -f -s -e /proc/%d/exe";
	char line[128];
	uint64_t first = model_nr_events > MODEL_EVENTS ? model_nr_events - MODEL_EVENTS : 0;

	fflush(stdout);
	snprintf(line, sizeof(line), command, (int)getpid());
	for (uint64_t i = first; i < model_nr_events; i++) {
		const struct model_event *event = &model_events[i % MODEL_EVENTS];
		char where[256], ask[192];
		FILE *pipe;

		snprintf(ask, sizeof(ask), "%s %lx", line, (unsigned long)event->caller - 1);
		pipe = popen(ask, "r");
		if (!pipe || !fgets(where, sizeof(where), pipe))
			strcpy(where, "?\n");
		if (pipe)
			pclose(pipe);
		printf("  CPU %u%s %-14s %u at %p: %lx  %s", event->cpu,
			event->fiber ? " interrupt" : "", event->what, event->bytes, event->at,
			event->value, where);
	}
}

/* Runs the program under up to `nr` seeds; true: one of them fails, and *plan is that one. */
static bool fails_soon(const struct program *program, struct model_plan *plan, unsigned nr)
{
	struct model_plan tried = *plan;

	tried.length = estimated_length(program);
	for (unsigned i = 0; i < nr; i++) {
		if (i)
			tried.seed = model_mix(tried.seed);
		if (program_run(program, &tried))
			continue;
		*plan = tried;
		return true;
	}
	return false;
}

static void drop_op(struct program *program, unsigned thread, unsigned op)
{
	struct program_thread *from = &program->thread[thread];

	memmove(&from->ops[op], &from->ops[op + 1], (PROGRAM_OPS - 1 - op) * sizeof(from->ops[0]));
	if (--from->nr_ops)
		return;
	memmove(from, from + 1, (PROGRAM_THREADS - 1 - thread) * sizeof(*from));
	program->nr_threads--;
}

static void drop_setup(struct program *program, unsigned op)
{
	memmove(&program->setup[op], &program->setup[op + 1],
		(PROGRAM_SETUP - 1 - op) * sizeof(program->setup[0]));
	memmove(&program->setup_cpu[op], &program->setup_cpu[op + 1], PROGRAM_SETUP - 1 - op);
	program->nr_setup--;
}

/* Leaves out operations as long as some schedule still fails. */
static void minimise(struct program *program, struct model_plan *plan)
{
	const unsigned tries = 3000;
	bool shorter = true;

	while (shorter) {
		shorter = false;
		for (unsigned i = 0; i < program->nr_threads; i++) {
			for (unsigned k = program->thread[i].nr_ops; k--;) {
				struct program smaller = *program;

				drop_op(&smaller, i, k);
				if (!fails_soon(&smaller, plan, tries))
					continue;
				*program = smaller;
				shorter = true;
				if (i >= program->nr_threads)
					break;
			}
		}
		for (unsigned k = program->nr_setup; k--;) {
			struct program smaller = *program;

			drop_setup(&smaller, k);
			if (!fails_soon(&smaller, plan, tries))
				continue;
			*program = smaller;
			shorter = true;
		}
	}
}

static void print_replay(const struct piece *piece, uint64_t seed)
{
	printf("  again: build/model/run --mode %s --nodes %u --seed %lu --%s 1%s --replay 0x%lx\n",
		mode_options[piece->cas16], piece->nr_nodes, options.seed,
		campaign_options[piece->kind], options.migrate ? " --migrate" : "", seed);
}

static void show_failure(
	const struct piece *piece, struct program program, struct model_plan plan, uint64_t seed)
{
	printf("\nVIOLATION in %s, %s, %u node%s: %s\n", campaign_names[piece->kind],
		mode_names[piece->cas16], piece->nr_nodes, piece->nr_nodes > 1 ? "s" : "",
		model_failure);
	program_print(&program);
	print_replay(piece, seed);
	fflush(stdout);
	if (options.quiet)
		return;
	minimise(&program, &plan);
	model_tracing = options.trace;
	model_nr_events = 0;
	if (program_run(&program, &plan))
		strcpy(model_failure, "the shorter program does not fail again: a run depends on "
				      "the ones before it");
	model_tracing = false;
	printf("  at its shortest: %s\n", model_failure);
	program_print(&program);
	if (options.trace)
		print_trace();
	fflush(stdout);
}

static void show_scenario(
	const struct piece *piece, const struct program *program, const struct model_plan *plan)
{
	struct model_plan again = *plan;

	printf("\nVIOLATION in \"%s\", %s: %s\n", program->name, mode_names[piece->cas16],
		model_failure);
	program_print(program);
	printf("  schedule %lu %s\n  again: build/model/run --mode %s --seed %lu --dfs %lu "
	       "--scenario '%s'\n",
		piece->done, plan->strategy == MODEL_DFS ? "depth first" : "by PCT",
		mode_options[piece->cas16], options.seed, options.count[DFS], program->name);
	if (options.trace) {
		model_tracing = true;
		model_nr_events = 0;
		program_run(program, &again);
		model_tracing = false;
		print_trace();
	}
	fflush(stdout);
}

/* ---- one piece, in a process of its own ---- */

static void run_random(struct piece *piece)
{
	for (uint64_t i = 0; i < piece->count; i++) {
		uint64_t seed = options.replay ? options.replay_seed
					       : seed_of(piece->kind, piece->first + i);
		struct program program;

		program_make(&program, seed);
		struct model_plan plan = plan_of(piece->kind, seed, &program);

		if (!program_run(&program, &plan)) {
			piece->failed = true;
			piece->done++;
			show_failure(piece, program, plan, seed);
			return;
		}
		piece->steps += model_steps;
		piece->done++;
	}
}

/* Every schedule of a scenario, and then some by PCT, whose preemptions are not bounded. */
static bool run_once(struct piece *piece, const struct program *program, struct model_plan plan)
{
	piece->done++;
	if (!program_run(program, &plan)) {
		piece->failed = true;
		show_scenario(piece, program, &plan);
		return false;
	}
	piece->steps += model_steps;
	if (model_steps > piece->longest)
		piece->longest = model_steps;
	return true;
}

static unsigned preemptions_of(const struct program *scenario)
{
	return scenario->nr_threads > 2 ? 2 : 3;
}

static void run_scenario(struct piece *piece)
{
	const struct program *program = &scenarios[piece->first];
	struct model_plan plan = plan_of(DFS, options.seed, program);
	uint64_t seed = seed_of(PCT, piece->first);

	plan.preemptions = preemptions_of(program);
	model_dfs_reset();
	while (!program->migrates && !piece->exhausted && piece->schedules < options.dfs_most) {
		if (!run_once(piece, program, plan))
			return;
		piece->schedules++;
		piece->exhausted = !model_dfs_next();
	}
	/* Walks come to the point more seldom, and there has been no search. */
	for (uint64_t i = 0; i < options.count[DFS] * (program->migrates ? 8 : 1); i++) {
		plan = plan_of(program->migrates ? WALK : PCT, model_mix(seed + i), program);
		if (piece->longest)
			plan.length = (unsigned)piece->longest;
		if (!run_once(piece, program, plan))
			return;
	}
}

/* One point: the n-th page allocation fails, and `nr` after it. False: a violation. */
static bool run_point(struct piece *piece, struct program *program, unsigned n, unsigned nr)
{
	const struct model_plan plan = {.strategy = MODEL_ALONE, .max_steps = 400000};

	program->fail_skip = (uint8_t)n;
	program->fail_count = (uint8_t)nr;
	piece->done++;
	if (!program_run(program, &plan)) {
		piece->failed = true;
		show_failure(piece, *program, plan, piece->first);
		return false;
	}
	piece->steps += model_steps;
	piece->points += program_failures != 0;
	return true;
}

/* Every n, once and from then on, until the workload asks for no n-th page. */
static bool run_workload(struct piece *piece, struct program *program)
{
	for (unsigned n = 0; n < FAIL_FOR_EVER; n++) {
		if (!run_point(piece, program, n, FAIL_FOR_EVER))
			return false;
		if (!program_failures)
			return true;
		if (!run_point(piece, program, n, 1))
			return false;
	}
	printf("\na workload asks for more than %u pages\n", FAIL_FOR_EVER);
	piece->failed = true;
	return false;
}

static void run_workloads(struct piece *piece)
{
	struct program program;

	for (unsigned i = 0; i < nr_workloads; i++) {
		workload_make(&program, i);
		if (!run_workload(piece, &program))
			return;
	}
}

static void run_piece(struct piece *piece)
{
	model_cas16_works = piece->cas16;
	world_init(piece->nr_nodes);
	if (piece->kind == DFS)
		run_scenario(piece);
	else if (piece->kind == OOM)
		run_workloads(piece);
	else
		run_random(piece);
	memcpy(piece->stats, program_stats, sizeof(piece->stats));
	piece->nulls = program_nr_null;
	piece->trades = program_nr_trades;
	piece->restarts = model_nr_restarts;
	piece->fenced = model_nr_fenced;
	piece->finished = true;
}

/* ---- campaigns ---- */

static void add_piece(enum campaign_kind kind, bool cas16, unsigned nr_nodes, uint64_t count)
{
	if (nr_pieces == PIECES_MAX || !(options.nodes & nr_nodes))
		return;
	pieces[nr_pieces] = (struct piece){.kind = kind,
		.cas16 = cas16,
		.nr_nodes = nr_nodes,
		.first = nr_pieces ? pieces[nr_pieces - 1].first + pieces[nr_pieces - 1].count : 0,
		.count = count};
	nr_pieces++;
}

/* Small pieces of every kind first, so that what fails soon is found soon, then larger ones. */
static void add_round(unsigned round, uint64_t left[NR_CAMPAIGNS][2])
{
	for (unsigned kind = 0; kind < DFS; kind++) {
		for (unsigned mode = 0; mode < 2; mode++) {
			uint64_t most = options.count[kind] / 32 + 1000;
			uint64_t size = round < 20 && 500ul << round < most ? 500ul << round : most;

			for (unsigned nr_nodes = 1; nr_nodes <= 2; nr_nodes++) {
				uint64_t count = left[kind][mode] < size ? left[kind][mode] : size;

				if (!count || !(options.nodes & nr_nodes))
					continue;
				add_piece(kind, !mode, nr_nodes, count);
				left[kind][mode] -= count;
			}
		}
	}
}

static void add_scenarios(bool cas16)
{
	for (unsigned i = 0; i < nr_scenarios; i++) {
		if (options.scenario && !strstr(scenarios[i].name, options.scenario))
			continue;
		if (!(options.nodes & scenarios[i].nr_nodes))
			continue;
		pieces[nr_pieces++] = (struct piece){.kind = DFS,
			.cas16 = cas16,
			.nr_nodes = scenarios[i].nr_nodes,
			.first = i,
			.count = 1};
	}
}

static void add_all(void)
{
	uint64_t left[NR_CAMPAIGNS][2], all = 0;
	unsigned round = 0;

	for (unsigned kind = 0; kind < NR_CAMPAIGNS; kind++)
		for (unsigned mode = 0; mode < 2; mode++) {
			left[kind][mode] = options.modes & 1u << mode ? options.count[kind] : 0;
			all |= kind < DFS ? left[kind][mode] : 0;
			for (unsigned nodes = 1; kind == OOM && left[OOM][mode] && nodes <= 2;
				nodes++)
				add_piece(OOM, !mode, nodes, 1);
		}
	if (all)
		add_round(round++, left);
	for (unsigned mode = 0; mode < 2; mode++)
		if (options.modes & 1u << mode && options.with_scenarios)
			add_scenarios(!mode);
	for (bool more = all; more && nr_pieces < PIECES_MAX; round++) {
		add_round(round, left);
		more = false;
		for (unsigned kind = 0; kind < DFS; kind++)
			more |= left[kind][0] || left[kind][1];
	}
}

static void print_running(void)
{
	const struct piece *shown = NULL;

	for (unsigned i = 0; i < nr_pieces; i++) {
		const struct piece *piece = &pieces[i];

		if (!piece->process ||
			(shown && shown->kind == piece->kind && shown->cas16 == piece->cas16))
			continue;
		printf("%s %s, %s", shown ? " and" : "; now", campaign_names[piece->kind],
			mode_names[piece->cas16]);
		shown = piece;
	}
}

static void print_progress(double seconds)
{
	uint64_t done = 0, all = 0, schedules = 0;
	unsigned scenarios_done = 0, scenarios_all = 0;

	for (unsigned i = 0; i < nr_pieces; i++) {
		if (pieces[i].kind == DFS) {
			scenarios_all++;
			scenarios_done += pieces[i].finished;
			schedules += pieces[i].done;
		} else if (pieces[i].kind < DFS) {
			done += pieces[i].done;
			all += pieces[i].count;
		}
	}
	printf("%6.0f s  %lu of %lu programs", seconds, done, all);
	if (scenarios_all)
		printf(", %u of %u scenarios by %lu schedules", scenarios_done, scenarios_all,
			schedules);
	printf(", %.0f a second", (double)(done + schedules) / seconds);
	print_running();
	printf("\n");
	fflush(stdout);
}

static void start_piece(struct piece *piece)
{
	pid_t child = fork();

	if (child < 0) {
		perror("fork");
		exit(2);
	}
	if (!child) {
		run_piece(piece);
		exit(piece->failed);
	}
	piece->process = child;
}

/* False: it failed, or died. Then its count of programs tells which one it was at. */
static bool end_piece(struct piece *piece, int status)
{
	piece->process = 0;
	if (!WIFSIGNALED(status))
		return !status;
	printf("\na program ends the process that runs it by signal %d (%s)\n", WTERMSIG(status),
		strsignal(WTERMSIG(status)));
	print_replay(piece, options.replay ? options.replay_seed
					   : seed_of(piece->kind, piece->first + piece->done));
	piece->failed = true;
	return false;
}

static bool run_pieces(double start)
{
	unsigned nr_running = 0, next = 0;
	bool good = true;
	double last = now();

	if (options.replay) { /* here, for a debugger */
		run_piece(&pieces[0]);
		return !pieces[0].failed;
	}
	while (nr_running || (next < nr_pieces && good)) {
		for (; nr_running < options.jobs && next < nr_pieces && good; nr_running++, next++)
			start_piece(&pieces[next]);
		int status;
		pid_t ended = waitpid(-1, &status, WNOHANG);

		for (unsigned i = 0; ended > 0 && i < next; i++) {
			if (pieces[i].process != ended)
				continue;
			good &= end_piece(&pieces[i], status);
			nr_running--;
		}
		if (ended <= 0)
			usleep(20000);
		if (now() - last > 5) {
			print_progress(now() - start);
			last = now();
		}
	}
	return good;
}

static void print_scenarios(void)
{
	printf("\n%-90s %-10s %10s %9s\n", "scenario", "mode", "schedules", "accesses");
	for (unsigned i = 0; i < nr_pieces; i++) {
		const struct piece *piece = &pieces[i];
		const struct program *scenario = &scenarios[piece->first];

		if (piece->kind != DFS)
			continue;
		printf("%-90s %-10s %10lu %9lu  ", scenario->name, mode_names[piece->cas16],
			piece->schedules, piece->longest);
		if (piece->failed)
			printf("FAILED\n");
		else if (scenario->migrates)
			printf("by random walk alone\n");
		else
			printf("%s at %u preemptions\n",
				piece->exhausted ? "exhausted" : "not exhausted",
				preemptions_of(scenario));
	}
}

/* For programs: key=value, one line for each strategy in each mode. */
static void print_summary(enum campaign_kind kind, bool cas16)
{
	struct piece sum = {0};
	unsigned nr = 0, violations = 0, exhausted = 0;

	for (unsigned i = 0; i < nr_pieces; i++) {
		if (pieces[i].kind != kind || pieces[i].cas16 != cas16)
			continue;
		nr++;
		sum.done += pieces[i].done;
		sum.steps += pieces[i].steps;
		sum.nulls += pieces[i].nulls;
		sum.points += pieces[i].points;
		sum.schedules += pieces[i].schedules;
		violations += pieces[i].failed;
		exhausted += pieces[i].exhausted;
	}
	if (!nr)
		return;
	printf("summary strategy=%s mode=%s programs=%lu violations=%u accesses=%lu refused=%lu",
		campaign_options[kind], mode_options[cas16], sum.done, violations, sum.steps,
		sum.nulls);
	if (kind == DFS)
		printf(" scenarios=%u exhausted=%u schedules=%lu", nr, exhausted, sum.schedules);
	if (kind == OOM)
		printf(" workloads=%u points=%lu", nr * nr_workloads, sum.points);
	printf("\n");
}

/* The events that a campaign must have seen, or it has not tested what it says. */
static bool print_events(void)
{
	static const uint8_t expected[] = {ALLOC_SLOWPATH, FREE_SLOWPATH, ALLOC_FROM_PARTIAL,
		ALLOC_SLAB, FREE_SLAB, CPU_PARTIAL_FREE, CPU_PARTIAL_DRAIN, ORDER_FALLBACK,
		CMPXCHG_DOUBLE_FAIL, ALLOC_NODE_MISMATCH, FREE_ADD_PARTIAL, FREE_REMOVE_PARTIAL,
		ALLOC_REFILL, CPUSLAB_FLUSH, DEACTIVATE_FULL, DEACTIVATE_EMPTY, DEACTIVATE_TO_HEAD,
		DEACTIVATE_REMOTE_FREES, DEACTIVATE_BYPASS, CMPXCHG_DOUBLE_CPU_FAIL,
		CPU_PARTIAL_ALLOC, CPU_PARTIAL_NODE};
	static const struct {
		const char *name;
		size_t at; /* in struct piece */
	} others[] = {
		{"trades in barns", offsetof(struct piece, trades)},
#ifdef PORT_HAS_WINDOWS
		{"windows begun anew", offsetof(struct piece, restarts)},
		{"fences into a window", offsetof(struct piece, fenced)},
#endif
	};
	bool good = true;

	printf("\n%-24s %14s\n", "event", "times");
	for (unsigned i = 0; i < sizeof(expected); i++) {
		uint64_t sum = 0;

		for (unsigned k = 0; k < nr_pieces; k++)
			sum += pieces[k].stats[expected[i]];
		printf("%-24s %14lu\n", slab_stat_name(expected[i]), sum);
		good &= sum != 0;
	}
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		uint64_t sum = 0;

		for (unsigned k = 0; k < nr_pieces; k++)
			sum += *(uint64_t *)((char *)&pieces[k] + others[i].at);
		printf("%-24s %14lu\n", others[i].name, sum);
		good &= sum != 0;
	}
	if (!good)
		printf("an event that never happened: the programs do not reach everything\n");
	return good;
}

static const char usage[] =
	"usage: run [--walk N] [--pct N] [--depth D] [--tso N] [--dfs N [--scenario TEXT]\n"
	"           [--dfs-most M]] [--oom 1]\n"
	"           [--mode cx16|pagelock|both] [--nodes 1|2|both] [--seed S] [--jobs J]\n"
	"           [--migrate] [--replay SEED] [--trace] [--quiet]\n"
	"Runs N random programs by each strategy in each mode. --dfs runs the fixed scenarios, "
	"each\n"
	"depth first to the end (M schedules) and then N times by PCT. --replay runs the one "
	"program of a "
	"printed\n"
	"seed, with the options printed beside it; --trace shows the accesses of what fails.\n";

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = text ? strtoull(text, &end, 0) : 0;

	if (!text || end == text) {
		fputs(usage, stderr);
		exit(2);
	}
	if (*end == 'k' || *end == 'K')
		value *= 1000;
	if (*end == 'm' || *end == 'M')
		value *= 1000000;
	return value;
}

static unsigned one_of_two(const char *text, const char *first, const char *second)
{
	if (text && !strcmp(text, first))
		return 1;
	if (text && !strcmp(text, second))
		return 2;
	return 3;
}

static void read_options(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *option = argv[i];
		bool known = false;

		for (unsigned kind = 0; kind < NR_CAMPAIGNS && !known; kind++) {
			if (strncmp(option, "--", 2) || strcmp(option + 2, campaign_options[kind]))
				continue;
			options.count[kind] = number(argv[++i]);
			options.with_scenarios |= kind == DFS;
			known = true;
		}
		if (known)
			continue;
		if (!strcmp(option, "--depth"))
			options.depth = (unsigned)number(argv[++i]);
		else if (!strcmp(option, "--seed"))
			options.seed = number(argv[++i]);
		else if (!strcmp(option, "--jobs"))
			options.jobs = (unsigned)number(argv[++i]);
		else if (!strcmp(option, "--mode"))
			options.modes = one_of_two(argv[++i], "cx16", "pagelock");
		else if (!strcmp(option, "--nodes"))
			options.nodes = one_of_two(argv[++i], "1", "2");
		else if (!strcmp(option, "--replay"))
			options.replay = true, options.replay_seed = number(argv[++i]);
		else if (!strcmp(option, "--dfs-most"))
			options.dfs_most = number(argv[++i]);
		else if (!strcmp(option, "--scenario") && argv[i + 1])
			options.scenario = argv[++i];
		else if (!strcmp(option, "--trace"))
			options.trace = true;
		else if (!strcmp(option, "--migrate"))
			options.migrate = true;
		else if (!strcmp(option, "--quiet"))
			options.quiet = true;
		else {
			fputs(usage, stderr);
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	double start = now();
	uint64_t programs = 0;

	read_options(argc, argv);
	pieces = mmap(NULL, PIECES_MAX * sizeof(*pieces), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pieces == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	add_all();
	bool good = run_pieces(start);

	if (options.with_scenarios)
		print_scenarios();
	printf("\n");
	for (unsigned kind = 0; kind < NR_CAMPAIGNS; kind++)
		for (unsigned mode = 0; mode < 2; mode++)
			print_summary(kind, !mode);
	for (unsigned i = 0; i < nr_pieces; i++)
		programs += pieces[i].kind < DFS ? pieces[i].done : 0;
	if (good && programs >= 10000)
		good = print_events();
	printf("%.1f s\n", now() - start);
	return !good;
}
