/*
 * Random programs, and programs for people to read.
 *
 * Half of them have sheaves, so small that their slow paths are taken all the time; the other half
 * are exact, so that each call meets a slab.
 */
#include "test/model/program.h"

#include <stdio.h>
#include <string.h>

#include <dolmen/numa.h>

enum lean { EVEN, TAKES, GIVES, NR_LEANS }; /* what a thread does more of */

/* What only programs with sheaves have. */
static void lean_to_sheaves(struct op *op, uint64_t *state)
{
	if (op->kind == OP_DRAIN_CPU && model_below(state, 3)) {
		op->kind = OP_DRAIN_SHEAVES;
	} else if (op->kind == OP_JUDGE && !model_below(state, 3)) {
		op->kind = OP_DRAIN_BARN;
		op->arg = (uint8_t)model_below(state, world_nr_nodes);
	} else if (op->kind == OP_STATS || op->kind == OP_CPU_SLABS) {
		op->kind = OP_SHEAF;
		op->arg = (uint8_t)(model_below(state, 2) * model_below(state, WORLD_SHEAF_MAX));
	}
}

/* What only programs with page caches have. */
static void lean_to_pages(struct op *op, uint64_t *state)
{
	if (!model_below(state, 12)) {
		op->kind = OP_DRAIN_PAGES;
	} else if (op->kind == OP_ALLOC && model_below(state, 2)) {
		op->kind = OP_PAGE_ALLOC;
		op->arg = !model_below(state, 3);
	}
}

static struct op random_op(
	uint64_t *state, const uint8_t caches[2], enum lean lean, bool is_interrupt)
{
	struct op op = {.cache = caches[model_below(state, 4) == 0]};
	unsigned what = model_below(state, 100);

	op.slot = (uint8_t)model_below(state, PROGRAM_SLOTS);
	if (model_below(state, 8) == 0)
		op.gfp |= __GFP_ZERO;
	if (model_below(state, 8) == 0)
		op.gfp |= GFP_ATOMIC;
	if (model_below(state, 8) == 0)
		op.gfp |= __GFP_THISNODE;
	if (what < 38) {
		op.kind = OP_ALLOC;
	} else if (what < 44) {
		op.kind = OP_ALLOC_NODE;
		op.arg = (uint8_t)model_below(state, world_nr_nodes);
	} else if (what < 85) {
		op.kind = OP_FREE;
	} else if (what < 88) {
		op.kind = OP_TICK;
	} else if (what < 91) {
		op.kind = OP_DRAIN_CPU;
		op.arg = (uint8_t)model_below(state, MODEL_CPUS);
	} else if (what < 93) {
		op.kind = OP_PAGE_ALLOC;
		op.arg = (uint8_t)model_below(state, 2);
	} else if (what < 96 || is_interrupt) {
		op.kind = OP_JUDGE;
	} else if (what < 98) {
		op.kind = OP_SHRINK;
	} else {
		static const uint8_t seldom[] = {OP_DRAIN_ALL, OP_STATS, OP_CPU_SLABS,
			OP_MIN_PARTIAL, OP_CREATE, OP_DESTROY};

		op.kind = seldom[model_below(state, sizeof(seldom))];
		op.arg = 1 + (uint8_t)model_below(state, 3);
	}
	if (lean == TAKES && op.kind == OP_FREE && model_below(state, 3))
		op.kind = OP_ALLOC;
	if (lean == GIVES && op.kind == OP_ALLOC && model_below(state, 3))
		op.kind = OP_FREE;
	if ((op.kind == OP_ALLOC || op.kind == OP_FREE) && !model_below(state, 6)) {
		op.kind = op.kind == OP_ALLOC ? OP_ALLOC_BULK : OP_FREE_BULK;
		op.arg = (uint8_t)(1 + model_below(state, PROGRAM_BULK));
		if (op.kind == OP_ALLOC_BULK && !model_below(state, 4))
			op.kind = OP_SHEAF_OF_OWN;
	}
	return op;
}

static void add_thread(struct program *out, uint64_t *state, unsigned cpu, bool is_interrupt,
	const uint8_t caches[2])
{
	struct program_thread *thread = &out->thread[out->nr_threads++];
	enum lean lean = model_below(state, NR_LEANS);
	bool pages = out->page_caches && model_below(state, 2);

	thread->cpu = (uint8_t)cpu;
	thread->is_interrupt = is_interrupt;
	thread->nr_ops = (uint8_t)(1 + model_below(state, is_interrupt ? 3 : 6));
	for (unsigned i = 0; i < thread->nr_ops; i++) {
		thread->ops[i] = random_op(state, caches, lean, is_interrupt);
		if (out->sheaf)
			lean_to_sheaves(&thread->ops[i], state);
		if (pages)
			lean_to_pages(&thread->ops[i], state);
	}
}

static void set_up(struct program *out, unsigned cpu, struct op op)
{
	out->setup_cpu[out->nr_setup] = (uint8_t)cpu;
	out->setup[out->nr_setup++] = op;
}

#define WIDE_SLOTS 3 /* objects of each window that threads may free */

/*
 * The CPU takes all of a slab. Of both windows the first objects are in slots: what comes back from
 * now on is few objects of either, at the same bits of both, and the window moves to and fro.
 */
static void wide_setup(struct program *out, unsigned cpu)
{
	const unsigned rest[] = {
		WINDOW_OBJECTS - WIDE_SLOTS, WIDE_OBJECTS - WINDOW_OBJECTS - WIDE_SLOTS};
	uint8_t slot = 0;

	for (unsigned window = 0; window < 2; window++) {
		for (unsigned i = 0; i < WIDE_SLOTS; i++)
			set_up(out, cpu,
				(struct op){.kind = OP_ALLOC, .cache = CACHE_WIDE, .slot = slot++});
		set_up(out, cpu,
			(struct op){.kind = OP_FILL,
				.cache = CACHE_WIDE,
				.arg = (uint8_t)rest[window]});
	}
}

/* `first` is the CPU of the first thread: half of what it meets it has made itself. */
static void random_setup(
	struct program *out, uint64_t *state, unsigned first, const uint8_t caches[2])
{
	bool wide = caches[0] == CACHE_WIDE;

	if (wide)
		wide_setup(out, first);
	/* Few objects of a wide slab stay out, sometimes. */
	if (wide && !model_below(state, 8))
		set_up(out, model_below(state, MODEL_CPUS),
			(struct op){.kind = OP_SPILL, .arg = HOARD_MAX});
	for (unsigned i = model_below(state, PROGRAM_SETUP - out->nr_setup); i--;) {
		unsigned cpu = model_below(state, MODEL_CPUS);

		set_up(out, model_below(state, 2) ? first : cpu,
			(struct op){.kind = !model_below(state, 5) == wide ? OP_ALLOC : OP_FREE,
				.cache = caches[model_below(state, 4) == 0],
				.slot = (uint8_t)model_below(state, PROGRAM_SLOTS)});
	}
}

void program_make(struct program *out, uint64_t seed)
{
	uint64_t state = model_mix(seed);
	bool wide = !model_below(&state, 4);
	uint8_t caches[2];
	unsigned first = model_below(&state, MODEL_CPUS), nr = 2 + model_below(&state, 2);
	static const uint8_t bits[] = {0, 1, 2, 32};

	for (unsigned i = 0; i < 2; i++)
		caches[i] = wide && model_below(&state, 4)
				    ? CACHE_WIDE
				    : (uint8_t)model_below(&state, CACHE_WIDE);
	memset(out, 0, sizeof(*out));
	out->cpu_slabs = (uint8_t)(1 + model_below(&state, 3));
	out->min_partial = (uint8_t)model_below(&state, 3);
	out->remote_ratio = model_below(&state, 2) ? 100 : 0;
	if (model_below(&state, 2)) {
		out->sheaf = (uint8_t)(1 + model_below(&state, WORLD_SHEAF_MAX));
		out->barn = (uint8_t)model_below(&state, 4);
	}
	out->generation_bits = bits[model_below(&state, 4)];
	out->page_caches = model_below(&state, 2) != 0;
	out->destroys = !model_below(&state, 16);
	for (unsigned nid = 0; nid < WORLD_NODES_MAX; nid++)
		out->pool[nid] =
			model_below(&state, 3) ? POOL_AMPLE : (uint8_t)model_below(&state, 7);
	if (!model_below(&state, 6)) {
		out->fail_skip = (uint8_t)model_below(&state, 4);
		out->fail_count = (uint8_t)(1 + model_below(&state, 3));
	}
	random_setup(out, &state, first, caches);
	for (unsigned i = 0; i < nr; i++)
		add_thread(out, &state, (first + i) % MODEL_CPUS, false, caches);
	for (unsigned i = model_below(&state, 4); i-- > 1;)
		add_thread(out, &state, model_below(&state, MODEL_CPUS), true, caches);
	out->grows = out->sheaf && !model_below(&state, 4);
}

/* ---- for people ---- */

static void print_op(const struct op *op)
{
	static const char *const names[NR_OPS] = {"alloc", "alloc_node", "alloc_bulk",
		"sheaf_of_own", "free", "free_bulk", "free_stale", "judge", "shrink", "drain_cpu",
		"drain_sheaves", "drain_barn", "drain_all", "drain_pages", "tick", "cpu_slabs",
		"min_partial", "sheaf", "page_alloc", "create", "destroy", "stats", "fill",
		"spill"};
	bool has_cache = op->kind != OP_FREE && op->kind != OP_FREE_BULK &&
			 op->kind != OP_FREE_STALE && op->kind != OP_JUDGE &&
			 op->kind != OP_DRAIN_ALL && op->kind != OP_DRAIN_PAGES &&
			 op->kind != OP_TICK && op->kind != OP_PAGE_ALLOC &&
			 op->kind != OP_CREATE && op->kind != OP_DESTROY;

	printf(" %s", names[op->kind]);
	if (has_cache)
		printf(" %s", world_cache_names[op->cache]);
	if (op->kind <= OP_JUDGE || op->kind == OP_PAGE_ALLOC)
		printf(" #%u", op->slot);
	if (op->arg)
		printf(" %u", op->arg);
	if (op->gfp)
		printf(" gfp 0x%x", op->gfp);
	printf(";");
}

void program_print(const struct program *shown)
{
	printf("  limits: %u slabs a CPU, %u empty slabs a node, remote ratio %u, %u objects a "
	       "sheaf%s, %u sheaves a barn; generation of %u bits%s%s\n  pages:",
		shown->cpu_slabs, shown->min_partial, shown->remote_ratio, shown->sheaf,
		shown->grows ? " in the end" : "", shown->barn, shown->generation_bits,
		shown->page_caches ? "; page caches" : "", shown->destroys ? "; destroys" : "");
	for (unsigned nid = 0; nid < world_nr_nodes; nid++)
		if (shown->pool[nid] == POOL_AMPLE)
			printf(" ample");
		else
			printf(" %u", shown->pool[nid]);
	if (shown->fail_count)
		printf("; of allocations %u go well and %u fail", shown->fail_skip,
			shown->fail_count);
	printf("\n  before:");
	for (unsigned i = 0; i < shown->nr_setup; i++) {
		printf(" [CPU %u]", shown->setup_cpu[i]);
		print_op(&shown->setup[i]);
	}
	printf("\n");
	for (unsigned i = 0; i < shown->nr_threads; i++) {
		const struct program_thread *thread = &shown->thread[i];

		printf("  CPU %u%s:", thread->cpu, thread->is_interrupt ? ", interrupt" : "");
		for (unsigned k = 0; k < thread->nr_ops; k++)
			print_op(&thread->ops[k]);
		printf("\n");
	}
}
