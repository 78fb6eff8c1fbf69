/*
 * What runs out of memory: for each cache five ways to use it, and what is not about one cache.
 *
 * Threads run one after the other. The runner makes the n-th page allocation fail, once and from
 * then on, for every n until none is left to fail; a call that finds no page returns NULL and
 * nothing is lost.
 */
#include "test/model/workload.h"

#include <string.h>

static void add(struct program_thread *thread, struct op op)
{
	thread->ops[thread->nr_ops++] = op;
}

static struct program_thread *add_thread(struct program *program, unsigned cpu)
{
	struct program_thread *thread = &program->thread[program->nr_threads++];

	thread->cpu = (uint8_t)cpu;
	return thread;
}

/* More slabs than a CPU holds, most of them given back. */
static void fill_and_spill(struct program *program, uint8_t cache)
{
	struct program_thread *thread = add_thread(program, 0);

	add(thread, (struct op){.kind = OP_FILL, .cache = cache, .arg = 12});
	add(thread, (struct op){.kind = OP_SPILL, .arg = 9});
	add(thread, (struct op){.kind = OP_FILL, .cache = cache, .arg = 9});
	add(thread, (struct op){.kind = OP_SHRINK, .cache = cache});
	add(add_thread(program, 2), (struct op){.kind = OP_FILL, .cache = cache, .arg = 12});
}

/* CPU 0 allocates, CPU 1 frees and allocates, CPU 2 frees. */
static void pass_on(struct program *program, uint8_t cache)
{
	struct program_thread *first = add_thread(program, 0);
	struct program_thread *second = add_thread(program, 1), *third = add_thread(program, 2);

	for (uint8_t i = 0; i < 8; i++)
		add(first, (struct op){.kind = OP_ALLOC, .cache = cache, .slot = i});
	for (uint8_t i = 0; i < 4; i++)
		add(second, (struct op){.kind = OP_FREE, .slot = i});
	for (uint8_t i = 0; i < 4; i++)
		add(second,
			(struct op){
				.kind = OP_ALLOC, .cache = cache, .slot = i, .gfp = __GFP_ZERO});
	for (uint8_t i = 0; i < 8; i++)
		add(third, (struct op){.kind = OP_FREE, .slot = i});
}

static void by_node(struct program *program, uint8_t cache)
{
	for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++) {
		struct program_thread *thread = add_thread(program, cpu);

		for (uint8_t i = 0; i < 4; i++)
			add(thread, (struct op){.kind = OP_ALLOC_NODE,
					    .cache = cache,
					    .slot = (uint8_t)(4 * cpu + i),
					    .arg = (uint8_t)(i % world_nr_nodes),
					    .gfp = i / 2 ? __GFP_THISNODE : 0});
		add(thread, (struct op){.kind = OP_FREE, .slot = (uint8_t)(4 * cpu)});
		add(thread, (struct op){.kind = OP_DRAIN_CPU, .cache = cache, .arg = (uint8_t)cpu});
		add(thread,
			(struct op){.kind = OP_ALLOC, .cache = cache, .slot = (uint8_t)(4 * cpu)});
	}
}

static void beside_pages(struct program *program, uint8_t cache)
{
	struct program_thread *thread = add_thread(program, 0);

	program->page_caches = 1;
	add(thread, (struct op){.kind = OP_PAGE_ALLOC, .slot = 0, .arg = 1});
	add(thread, (struct op){.kind = OP_ALLOC, .cache = cache, .slot = 1});
	add(thread, (struct op){.kind = OP_PAGE_ALLOC, .slot = 2});
	add(thread, (struct op){.kind = OP_FREE, .slot = 0});
	add(thread, (struct op){.kind = OP_FILL, .cache = cache, .arg = 5});
	add(thread, (struct op){.kind = OP_TICK});
	add(add_thread(program, 1), (struct op){.kind = OP_ALLOC, .cache = cache, .slot = 3});
}

static void at_once(struct program *program, uint8_t cache)
{
	for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++) {
		struct program_thread *thread = add_thread(program, cpu);

		add(thread, (struct op){.kind = OP_ALLOC_BULK, .cache = cache, .arg = 4});
		add(thread, (struct op){.kind = OP_ALLOC_BULK,
				    .cache = cache,
				    .arg = PROGRAM_BULK,
				    .gfp = __GFP_ZERO});
		add(thread, (struct op){.kind = OP_FREE_BULK, .arg = PROGRAM_BULK});
		add(thread,
			(struct op){.kind = OP_SHEAF_OF_OWN, .cache = cache, .arg = PROGRAM_BULK});
	}
}

static void make_caches(struct program *program, uint8_t cache)
{
	struct program_thread *thread = add_thread(program, 0);

	for (unsigned i = 0; i < 3; i++) {
		add(thread, (struct op){.kind = OP_CREATE});
		add(thread, (struct op){.kind = OP_DESTROY});
	}
	add(thread, (struct op){.kind = OP_ALLOC, .cache = cache, .slot = 0});
	add(thread, (struct op){.kind = OP_CREATE});
	program->destroys = 1;
}

static void (*const shapes[])(struct program *program, uint8_t cache) = {
	fill_and_spill, pass_on, by_node, at_once, beside_pages, make_caches};
#define NR_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

const unsigned nr_workloads = 2 * NR_SHAPES * NR_WORLD_CACHES; /* exact, and with sheaves */

void workload_make(struct program *program, unsigned i)
{
	memset(program, 0, sizeof(*program));
	program->cpu_slabs = 2;
	program->min_partial = 1;
	program->remote_ratio = 100;
	memset(program->pool, POOL_AMPLE, sizeof(program->pool));
	program->sheaf = i % 2 ? 3 : 0;
	program->barn = i % 2;
	shapes[i / 2 % NR_SHAPES](program, (uint8_t)(i / 2 / NR_SHAPES));
}
