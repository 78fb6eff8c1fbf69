/*
 * The scheduler: who goes on at a switch point.
 *
 * Every access counts model_countdown down; at 0 the strategy is asked, and says how many
 * accesses until it wants to be asked again. Whoever waits (port_relax) or ends asks at once.
 *
 *	walk	any enabled fiber, each with the same chance
 *	PCT	the enabled fiber of the highest priority. Priorities are random; at depth - 1
 *		random points the running fiber gets the lowest. Finds a bug that needs d
 *		orderings with probability 1/(n k^(d-1)) at least
 *	DFS	the path of choices of the run before, with its last choice that has an
 *		alternative changed. A choice exists only where fibers meet: at an access to a
 *		word that two of them reach and one writes, without a lock or to a lock or a
 *		lockless word. Which words those are is learnt; when a run finds a new one, the
 *		search begins anew
 *
 * A base fiber is enabled unless an interrupt is under way on its CPU. An interrupt fiber is
 * enabled once it is under way, and before that whenever its CPU has interrupts on. Whoever runs
 * alone for very long while others are enabled yields, except where one is to run after the other:
 * a retry loop may wait for them without saying so.
 */
#include "arch/model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STACK_BYTES   65536
#define STARVE_STEPS  2000	/* accesses of one fiber alone; DFS: choices */
#define OUTSIDE_STEPS (1 << 24) /* what boot, preparation and checks need at most */
#define PCT_DEPTH_MAX 16
#define PATH_MAX      8192
#define WORDS	      8192 /* a power of two */

struct model_fiber *model_current;
uint64_t model_steps;
int64_t model_countdown = OUTSIDE_STEPS;
char model_failure[512];

static struct model_fiber fibers[MODEL_FIBERS];
static unsigned nr_fibers;
static _Alignas(64) char stacks[MODEL_FIBERS][STACK_BYTES];
static struct model_plan plan;
static uint64_t random_state;
static int64_t armed;  /* what model_countdown was set to */
static uint64_t alone; /* steps since the last switch */
static void *main_stack;
static bool failed;
static jmp_buf *caught;

static uint64_t change_points[PCT_DEPTH_MAX];
static unsigned nr_change_points, next_change_point;
static int64_t lowest_priority;

/* ---- context switch: callee-saved registers on the stack, stack pointer in *save ---- */

void model_switch(void **save, void *load);
__asm__(".globl model_switch\n"
	"model_switch:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n");

bool model_break_windows(unsigned cpu)
{
	bool any = false;

	for (unsigned i = 0; i < nr_fibers; i++)
		if (fibers[i].cpu == cpu && fibers[i].in_window)
			any = fibers[i].broken = true;
	return any;
}

static void go_to(struct model_fiber *fiber)
{
	void **save = model_current ? &model_current->stack_pointer : &main_stack;

	if (!fiber) {
		model_current = NULL;
		model_switch(save, main_stack);
		return;
	}
	model_self = &model_cpus[fiber->cpu];
	if (fiber == model_current)
		return;
	alone = 0;
	if (fiber->is_interrupt && !fiber->started) {
		fiber->started = true;
		model_break_windows(fiber->cpu);
		model_self->irq_on = false;
		model_self->interrupt = fiber;
		model_self->nr_waiting--;
	}
	model_current = fiber;
	model_switch(save, fiber->stack_pointer);
}

void model_give_up(void)
{
	failed = true;
	if (model_current)
		go_to(NULL);
	longjmp(*caught, 1);
}

void model_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(model_failure, sizeof(model_failure), format, args);
	va_end(args);
	model_give_up();
}

bool model_try(void (*fn)(void *arg), void *arg)
{
	jmp_buf here;

	caught = &here;
	if (setjmp(here))
		return false;
	fn(arg);
	return true;
}

/* ---- who may run ---- */

static bool is_enabled(const struct model_fiber *fiber)
{
	const struct model_cpu *cpu = &model_cpus[fiber->cpu];

	if (fiber->done)
		return false;
	if (!fiber->is_interrupt)
		return !cpu->interrupt;
	return fiber->started ? cpu->interrupt == fiber : cpu->irq_on && !cpu->interrupt;
}

static unsigned enabled_fibers(struct model_fiber **out, const struct model_fiber *without)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < nr_fibers; i++)
		if (&fibers[i] != without && is_enabled(&fibers[i]))
			out[nr++] = &fibers[i];
	return nr;
}

void model_lock_left(void)
{
	for (unsigned i = 0; i < nr_fibers; i++)
		fibers[i].waiting = false;
}

void model_fences_go_on(void)
{
	for (unsigned i = 0; i < nr_fibers; i++)
		if (fibers[i].fencing)
			fibers[i].fencing = fibers[i].waiting = false;
}

static void flush_some(void)
{
	for (unsigned tries = 0; tries < MODEL_STORE_BUFFER; tries++) {
		struct model_cpu *cpu = &model_cpus[model_below(&random_state, MODEL_CPUS)];

		if (cpu->nr_stores)
			model_flush_oldest(cpu);
		else if (model_random(&random_state) & 1)
			return;
	}
}

bool model_migrates(void)
{
	return plan.migrates;
}

bool model_masks_windows(void)
{
	return plan.masks_windows;
}

/*
 * As a system does that moves threads: only from code that has interrupts on, and nothing stays
 * in a store buffer.
 */
static void migrate(void)
{
	struct model_cpu *a = &model_cpus[model_below(&random_state, MODEL_CPUS)];
	struct model_cpu *b = &model_cpus[model_below(&random_state, MODEL_CPUS)];

	if (a == b || a->interrupt || b->interrupt || !a->irq_on || !b->irq_on)
		return;
	model_drain(a);
	model_drain(b);
	model_break_windows(a->cpu);
	model_break_windows(b->cpu);
	for (unsigned i = 0; i < nr_fibers; i++) {
		struct model_fiber *fiber = &fibers[i];

		if (fiber->is_interrupt)
			continue;
		if (fiber->cpu == a->cpu)
			fiber->cpu = b->cpu;
		else if (fiber->cpu == b->cpu)
			fiber->cpu = a->cpu;
	}
}

/* ---- depth-first: which words matter, and the path ---- */

struct word {
	uintptr_t at; /* in units of 8 bytes; 0: free */
	uint32_t readers, writers;
};

static struct word words[WORDS];
static bool words_grew;
static struct {
	uint8_t chosen, count;
} path[PATH_MAX];
static unsigned path_length, path_at, preemptions;

static bool is_shared(const struct word *word)
{
	uint32_t all = word->readers | word->writers;

	return word->writers && (all & (all - 1));
}

static bool words_meet(const void *at, enum model_access access)
{
	uintptr_t key = (uintptr_t)at / 8;
	unsigned slot = (unsigned)(model_mix(key) % WORDS);
	uint32_t me = 1u << (model_current - fibers);

	while (words[slot].at && words[slot].at != key)
		slot = (slot + 1) % WORDS;
	struct word *word = &words[slot];
	bool before = is_shared(word);

	word->at = key;
	word->readers |= me;
	if (access != ACCESS_LOAD)
		word->writers |= me;
	if (before)
		return true;
	words_grew |= is_shared(word);
	return is_shared(word);
}

static bool is_choice(const void *at, enum model_access access)
{
	if (!at)
		return model_self->nr_waiting;
	bool meet = words_meet(at, access);

	if (access == ACCESS_PAIR) /* who reads the second word meets it too */
		meet |= words_meet((const char *)at + 8, access);
	if (!meet)
		return false;
	return !model_current->nr_held || access == ACCESS_LOCKED || access == ACCESS_PAIR ||
	       model_is_held(at) || watch_lockless(at);
}

void model_dfs_reset(void)
{
	memset(words, 0, sizeof(words));
	words_grew = false;
	path_length = 0;
}

bool model_dfs_next(void)
{
	if (words_grew) {
		words_grew = false;
		path_length = 0;
		return true;
	}
	while (path_length && path[path_length - 1].chosen + 1 == path[path_length - 1].count)
		path_length--;
	if (!path_length)
		return false;
	path[path_length - 1].chosen++;
	return true;
}

static unsigned choose_on_path(unsigned count)
{
	if (count == 1)
		return 0;
	if (path_at == path_length) {
		if (path_length == PATH_MAX)
			model_fail("a path of more than %u choices", PATH_MAX);
		path[path_length].chosen = 0;
		path[path_length++].count = (uint8_t)count;
	}
	return path[path_at++].chosen;
}

/* ---- the next fiber ---- */

static struct model_fiber *pick_walk(bool must_leave)
{
	struct model_fiber *enabled[MODEL_FIBERS];

	if (plan.store_buffers)
		flush_some();
	if (plan.migrates && !model_below(&random_state, 8))
		migrate();
	unsigned nr = enabled_fibers(enabled, must_leave ? model_current : NULL);

	if (!nr)
		return must_leave && model_current && is_enabled(model_current) ? model_current
										: NULL;
	return enabled[model_below(&random_state, nr)];
}

static struct model_fiber *pick_highest(void)
{
	struct model_fiber *best = NULL;

	for (unsigned i = 0; i < nr_fibers; i++)
		if (is_enabled(&fibers[i]) && (!best || fibers[i].priority > best->priority))
			best = &fibers[i];
	return best;
}

/* Those that wait for a lock are left out while there are others: they would only find it held. */
static unsigned leave_out_waiting(struct model_fiber **fibers_in, unsigned nr)
{
	unsigned left = 0;

	for (unsigned i = 0; i < nr; i++)
		if (!fibers_in[i]->waiting)
			fibers_in[left++] = fibers_in[i];
	return left ? left : nr;
}

static struct model_fiber *pick_path(bool must_leave)
{
	struct model_fiber *choices[MODEL_FIBERS + 1];
	bool may_stay = model_current && is_enabled(model_current);
	unsigned nr = leave_out_waiting(choices + 1, enabled_fibers(choices + 1, model_current));

	if (may_stay && (!must_leave || !nr)) {
		if (!nr || preemptions == plan.preemptions)
			return model_current;
		choices[0] = model_current;
		unsigned chosen = choose_on_path(nr + 1);

		preemptions += chosen != 0;
		return choices[chosen];
	}
	return nr ? choices[1 + choose_on_path(nr)] : NULL;
}

static struct model_fiber *pick_first(bool must_leave)
{
	struct model_fiber *enabled[MODEL_FIBERS];

	if (!must_leave)
		return model_current;
	if (enabled_fibers(enabled, model_current))
		return enabled[0];
	return model_current && is_enabled(model_current) ? model_current : NULL;
}

static struct model_fiber *pick(bool must_leave)
{
	switch (plan.strategy) {
	case MODEL_WALK:
		return pick_walk(must_leave);
	case MODEL_PCT:
		if (must_leave && model_current)
			model_current->priority = --lowest_priority;
		return pick_highest();
	case MODEL_DFS:
		return pick_path(must_leave);
	default:
		return pick_first(must_leave);
	}
}

/* ---- when to ask ---- */

static void account(void)
{
	uint64_t taken = (uint64_t)(armed - model_countdown);

	model_steps += taken;
	alone += taken;
	armed = model_countdown;
	if (model_steps > plan.max_steps)
		model_fail("no end after %lu accesses: somebody waits for ever", model_steps);
}

static void arm(void)
{
	switch (plan.strategy) {
	case MODEL_WALK:
		armed = plan.gap > 1 ? 1 + (int64_t)model_below(&random_state, 2 * plan.gap - 1)
				     : 1;
		break;
	case MODEL_PCT:
		armed = STARVE_STEPS;
		if (next_change_point < nr_change_points &&
			change_points[next_change_point] - model_steps < STARVE_STEPS)
			armed = (int64_t)(change_points[next_change_point] - model_steps);
		break;
	case MODEL_DFS:
		armed = 1;
		break;
	default:
		armed = STARVE_STEPS;
	}
	model_countdown = armed;
}

static void choose(bool must_leave)
{
	struct model_fiber *next = pick(must_leave);

	arm();
	go_to(next);
}

void model_decide(const void *at, enum model_access access)
{
	bool starving;

	if (!model_current)
		model_fail("no end, and nobody else runs");
	account();
	starving = alone >= STARVE_STEPS && plan.strategy != MODEL_ALONE;
	if (plan.strategy == MODEL_DFS && !is_choice(at, access)) {
		arm();
		if (!starving)
			return;
	}
	if (starving)
		alone = 0;
	if (plan.strategy == MODEL_PCT)
		while (next_change_point < nr_change_points &&
			change_points[next_change_point] <= model_steps) {
			model_current->priority = --lowest_priority;
			next_change_point++;
		}
	choose(starving);
}

void model_interrupts_on(void)
{
	if (model_current && plan.strategy == MODEL_PCT)
		go_to(pick_highest());
}

void model_relax(void)
{
	if (!model_current)
		model_fail("a wait for a lock that nobody gives back");
	model_steps++;
	account();
	model_current->waiting = true;
	choose(true);
}

bool model_is_buffered(const void *at)
{
	return plan.store_buffers && model_current &&
	       ((const char *)at < stacks[0] || (const char *)at >= stacks[MODEL_FIBERS]);
}

/* ---- runs ---- */

void model_begin(void)
{
	nr_fibers = 0;
	model_current = NULL;
	model_countdown = OUTSIDE_STEPS;
	model_memory_begin();
}

void model_become(unsigned cpu)
{
	model_self = &model_cpus[cpu];
}

static void fiber_main(void)
{
	struct model_fiber *fiber = model_current;

	fiber->body(fiber->arg);
	if (fiber->nr_held)
		model_fail("CPU %u ends with %u locks held", fiber->cpu, fiber->nr_held);
	if (fiber->is_interrupt) {
		model_self->interrupt = NULL;
		model_self->irq_on = true;
	} else if (!model_self->irq_on) {
		model_fail("CPU %u ends with interrupts off", fiber->cpu);
	}
	fiber->done = true;
	model_lock_left();
	account();
	choose(true);
	__builtin_trap();
}

struct model_fiber *model_add(unsigned cpu, bool is_interrupt, void (*body)(void *arg), void *arg)
{
	struct model_fiber *fiber = &fibers[nr_fibers];
	void **top = (void **)(stacks[nr_fibers] + STACK_BYTES);

	nr_fibers++;
	/*
	 * As model_switch() leaves it: six registers, then where to return to. The ABI wants 8
	 * mod 16 at entry.
	 */
	*--top = NULL;
	*--top = (void *)(uintptr_t)fiber_main;
	memset(top - 6, 0, 6 * sizeof(*top));
	*fiber = (struct model_fiber){.cpu = cpu,
		.is_interrupt = is_interrupt,
		.body = body,
		.arg = arg,
		.stack_pointer = top - 6};
	model_cpus[cpu].nr_waiting += is_interrupt;
	return fiber;
}

static void set_priorities(void)
{
	nr_change_points = 0;
	next_change_point = 0;
	lowest_priority = 0;
	if (plan.strategy != MODEL_PCT)
		return;
	for (unsigned i = 0; i < nr_fibers; i++)
		fibers[i].priority = 1 + (int64_t)(model_random(&random_state) >> 8);
	for (unsigned i = 1; i < plan.depth && i < PCT_DEPTH_MAX; i++) {
		uint64_t at = 1 + model_below(&random_state, plan.length);
		unsigned slot = nr_change_points++;

		for (; slot && change_points[slot - 1] > at; slot--)
			change_points[slot] = change_points[slot - 1];
		change_points[slot] = at;
	}
}

bool model_run(const struct model_plan *wanted)
{
	plan = *wanted;
	random_state = plan.seed;
	model_steps = 0;
	alone = 0;
	failed = false;
	path_at = 0;
	preemptions = 0;
	set_priorities();
	arm();
	struct model_fiber *first = pick(true);

	if (first)
		go_to(first);
	model_countdown = OUTSIDE_STEPS;
	if (!failed)
		for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++)
			model_drain(&model_cpus[cpu]);
	for (unsigned i = 0; i < nr_fibers && !failed; i++) {
		if (fibers[i].done)
			continue;
		snprintf(model_failure, sizeof(model_failure),
			"an interrupt on CPU %u never finds them on", fibers[i].cpu);
		failed = true;
	}
	nr_fibers = 0;
	return !failed;
}
