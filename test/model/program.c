/*
 * One run of a program: prepared machine, fibers, checks when all is quiet, everything given
 * back, checks again.
 *
 * Objects live in slots that all threads share, so one CPU frees what another allocated. A slot
 * is taken and left between two accesses of mm/, so its state is exact. Who holds an object
 * writes a stamp at its start and end and finds it there when it frees it.
 */
#include "test/model/program.h"

#include <stdio.h>
#include <string.h>

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include "mm/page_alloc.h"
#include "mm/pcp.h"
#include "mm/stats.h"

enum slot_state { SLOT_EMPTY, SLOT_BUSY, SLOT_OBJECT, SLOT_PAGE };

struct slot {
	enum slot_state state;
	uint8_t cache, order;
	uint8_t cpu; /* where it was allocated */
	void *object;
	uint64_t stamp;
	uint64_t published; /* the stamp, once other CPUs can see what was stored before it */
	void *last;	    /* an object of last_cache, or pages of `order` */
	uint8_t last_cache;
	bool last_is_page;
};

#define HELD_MAX 64

uint64_t program_nr_null, program_failures;
uint64_t program_stats[NR_KEPT_STATS], program_nr_trades;

static const struct program *program;
static const struct model_plan *plan;
static struct slot slots[PROGRAM_SLOTS];
static void *hoard[HOARD_MAX]; /* of one cache */
static unsigned nr_hoard, hoard_cache;
static struct {
	struct page *page;
	unsigned order;
} held[HELD_MAX];
static unsigned nr_held;
static uint64_t last_stamp;
static int made_cache; /* by OP_CREATE: its index; -1: none; -2: being made or destroyed */
static bool limits_changed;
static unsigned nr_reports; /* of wrong frees */

/* ---- objects ---- */

static uint64_t *last_word(unsigned cache, void *object)
{
	return (uint64_t *)((char *)object + world_caches[cache]->kc_object_bytes) - 1;
}

static void took(unsigned cache, void *object, gfp_t gfp, int nid)
{
	uint64_t *first = object, *last = last_word(cache, object);
	const uint64_t constructed = 0xc4c4c4c4c4c4c4c4ul;
	struct page *page = world_page_of(object);

	watch_took(world_caches[cache], object, world_caches[cache]->kc_object_bytes);
	if (gfp & __GFP_ZERO && (*first || *last))
		model_fail("object %p of %s is not zero", object, world_cache_names[cache]);
	if (cache == CACHE_FOUR && !(gfp & __GFP_ZERO) &&
		(*first != constructed || *last != constructed))
		model_fail(
			"object %p of %s is not as constructed", object, world_cache_names[cache]);
	if (nid == NUMA_NO_NODE && !model_migrates())
		nid = (int)world_cpu_node(model_self->cpu);
	if (gfp & __GFP_THISNODE && nid != NUMA_NO_NODE && (int)page_node(page->pg_word) != nid)
		model_fail(
			"object %p is of node %u, not %d", object, page_node(page->pg_word), nid);
}

/*
 * With store buffers, an object reaches another CPU no sooner than the stores that were made
 * before it was handed on.
 */
static void publish(struct slot *slot, void *object, enum slot_state state)
{
	slot->object = object;
	slot->stamp = model_mix(++last_stamp);
	slot->cpu = (uint8_t)model_self->cpu;
	slot->state = state;
	port_store(&slot->published, slot->stamp);
}

static bool may_free(const struct slot *slot)
{
	return slot->state >= SLOT_OBJECT &&
	       (slot->cpu == model_self->cpu || slot->published == slot->stamp);
}

static void fill_slot(struct slot *slot, unsigned cache, void *object)
{
	slot->last = object;
	slot->last_is_page = false;
	slot->cache = slot->last_cache = (uint8_t)cache;
	*(uint64_t *)object = *last_word(cache, object) = (uintptr_t)slot;
	publish(slot, object, SLOT_OBJECT);
}

/* Where nobody else runs, there are really too few, or too few on the node that alone will do. */
static void check_refusal(const struct op *op, int nid, unsigned nr)
{
	struct kmem_cache *cache = world_caches[op->cache];
	uint64_t free, in_sheaves = op->gfp & __GFP_THISNODE ? 0 : sheaf_objects(cache);

	if (nid == NUMA_NO_NODE)
		nid = (int)world_cpu_node(model_self->cpu);
	free = watch_free_objects(cache, op->gfp & __GFP_THISNODE ? nid : NUMA_NO_NODE);
	if (free + in_sheaves >= nr)
		model_fail("not %u of %s, and %lu are free and %lu in sheaves", nr,
			world_cache_names[op->cache], free, in_sheaves);
}

static void was_refused(const struct op *op, int nid, unsigned nr)
{
	bool ample = program->pool[0] == POOL_AMPLE && program->pool[1] == POOL_AMPLE &&
		     !program->fail_count;

	program_nr_null++;
	if (plan->strategy == MODEL_ALONE)
		check_refusal(op, nid, nr);
	if (ample)
		model_fail("no object of %s, and memory is free", world_cache_names[op->cache]);
}

static void do_alloc(const struct op *op)
{
	struct slot *slot = &slots[op->slot];
	int nid = op->kind == OP_ALLOC_NODE ? op->arg : NUMA_NO_NODE;
	gfp_t gfp = op->gfp | __GFP_NOWARN;

	for (unsigned i = 0; slot->state && i < PROGRAM_SLOTS; i++)
		slot = &slots[(op->slot + i) % PROGRAM_SLOTS];
	if (slot->state)
		return;
	slot->state = SLOT_BUSY;
	void *object = kmem_cache_alloc_node(world_caches[op->cache], gfp, nid);

	if (!object) {
		slot->state = SLOT_EMPTY;
		was_refused(op, nid, 1);
		return;
	}
	took(op->cache, object, gfp, nid);
	fill_slot(slot, op->cache, object);
}

/* Up to `nr` slots that are empty. How many. */
static unsigned take_slots(unsigned first, unsigned nr, struct slot *taken[PROGRAM_BULK])
{
	unsigned nr_taken = 0;

	for (unsigned i = 0; nr_taken < nr && i < PROGRAM_SLOTS; i++) {
		struct slot *slot = &slots[(first + i) % PROGRAM_SLOTS];

		if (slot->state)
			continue;
		slot->state = SLOT_BUSY;
		taken[nr_taken++] = slot;
	}
	return nr_taken;
}

static void leave_slots(struct slot *taken[PROGRAM_BULK], unsigned nr)
{
	while (nr)
		taken[--nr]->state = SLOT_EMPTY;
}

static void do_alloc_bulk(const struct op *op)
{
	struct slot *taken[PROGRAM_BULK];
	void *objects[PROGRAM_BULK];
	gfp_t gfp = op->gfp | __GFP_NOWARN;
	unsigned nr = take_slots(op->slot, op->arg, taken);

	if (!kmem_cache_alloc_bulk(world_caches[op->cache], gfp, nr, objects)) {
		leave_slots(taken, nr);
		was_refused(op, NUMA_NO_NODE, nr);
		return;
	}
	for (unsigned i = 0; i < nr; i++) {
		took(op->cache, objects[i], gfp, NUMA_NO_NODE);
		fill_slot(taken[i], op->cache, objects[i]);
	}
}

/* The sheaf has half of what the slots can take, then is refilled; what is left in it goes back. */
static void do_sheaf_of_own(const struct op *op)
{
	struct kmem_cache *cache = world_caches[op->cache];
	struct slot *taken[PROGRAM_BULK];
	gfp_t gfp = op->gfp | __GFP_NOWARN;
	unsigned nr = take_slots(op->slot, op->arg, taken), size = nr / 2, i;
	unsigned wanted =
		op->slot % 2 ? size : nr + 1; /* as it was, or more than it has room for */
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, gfp, size);

	if (!sheaf) {
		leave_slots(taken, nr);
		was_refused(op, NUMA_NO_NODE, UINT16_MAX);
		return;
	}
	for (i = 0; i < nr; i++) {
		if (i == nr / 4 && !kmem_cache_refill_sheaf(cache, gfp, &sheaf, wanted))
			size = wanted;
		if (kmem_cache_sheaf_size(sheaf) != size)
			model_fail(
				"a sheaf of %u objects has %u", size, kmem_cache_sheaf_size(sheaf));
		void *object = kmem_cache_alloc_from_sheaf(cache, gfp, sheaf);
		if (!object != !size)
			model_fail("%p of a sheaf of %u objects", object, size);
		if (!object)
			break;
		size--;
		took(op->cache, object, gfp & ~(gfp_t)__GFP_THISNODE, NUMA_NO_NODE);
		fill_slot(taken[i], op->cache, object);
	}
	leave_slots(taken + i, nr - i);
	kmem_cache_return_sheaf(cache, gfp, sheaf);
}

static void set_freeing(const void *object)
{
	if (model_current)
		model_current->freeing = object;
}

/* The object is as it has to be for free, and about to be. */
static void gives(unsigned cache, void *object)
{
	if (cache == CACHE_FOUR) {
		memset(object, 0xc4, sizeof(uint64_t));
		memset(last_word(cache, object), 0xc4, sizeof(uint64_t));
	}
	watch_gives(world_caches[cache], object, world_caches[cache]->kc_object_bytes);
}

static void free_object(unsigned cache, void *object)
{
	gives(cache, object);
	set_freeing(object);
	kmem_cache_free(world_caches[cache], object);
	set_freeing(NULL);
}

/* Takes the object out of a slot that has one. */
static void *empty_slot(struct slot *slot)
{
	void *object = slot->object;

	if (*(uint64_t *)object != (uintptr_t)slot ||
		*last_word(slot->cache, object) != (uintptr_t)slot)
		model_fail("object %p of %s was written by somebody else", object,
			world_cache_names[slot->cache]);
	slot->state = SLOT_EMPTY;
	return object;
}

static void free_slot(struct slot *slot)
{
	if (slot->state == SLOT_PAGE) {
		watch_hold_pages(slot->object, slot->order, false);
		slot->state = SLOT_EMPTY;
		__free_pages(slot->object, slot->order);
		return;
	}
	free_object(slot->cache, empty_slot(slot));
}

/* The first slot from the operation's on whose content this CPU may have; NULL: none. */
static struct slot *slot_in_use(const struct op *op)
{
	for (unsigned i = 0; i < PROGRAM_SLOTS; i++) {
		struct slot *slot = &slots[(op->slot + i) % PROGRAM_SLOTS];

		if (may_free(slot))
			return slot;
	}
	return NULL;
}

static void do_free(const struct op *op)
{
	struct slot *slot = slot_in_use(op);

	if (slot)
		free_slot(slot);
}

/* The cache is named if it is that of all. */
static void do_free_bulk(const struct op *op)
{
	void *objects[PROGRAM_BULK];
	struct kmem_cache *cache = NULL;
	unsigned nr = 0;

	for (unsigned i = 0; nr < op->arg && i < PROGRAM_SLOTS; i++) {
		struct slot *slot = &slots[(op->slot + i) % PROGRAM_SLOTS];

		if (!may_free(slot) || slot->state != SLOT_OBJECT)
			continue;
		cache = !nr || cache == world_caches[slot->cache] ? world_caches[slot->cache]
								  : NULL;
		objects[nr++] = empty_slot(slot);
		gives(slot->cache, objects[nr - 1]);
	}
	kmem_cache_free_bulk(cache, nr, objects);
}

static void do_judge(const struct op *op)
{
	struct slot *slot = slot_in_use(op);

	if (!slot || slot->state != SLOT_OBJECT)
		return;
	struct kmem_cache *cache = world_caches[slot->cache];
	uint64_t word;

	slot->state = SLOT_BUSY;
	struct page *page = object_page(slot->object, &word);
	long index = slab_index(cache, slab_mask(page), port_load(&page->pg_pair.hi), slot->object);

	if (index < 0 || slab_object_free(cache, page, (unsigned)index))
		model_fail("object %p of %s is out and said to be free", slot->object,
			world_cache_names[slot->cache]);
	publish(slot, slot->object, SLOT_OBJECT);
}

static void do_free_stale(const struct op *op)
{
	const struct slot *slot = &slots[op->slot];

	if (slot->last && slot->last_is_page)
		__free_pages(slot->last, slot->order);
	else if (slot->last)
		kmem_cache_free(world_caches[slot->last_cache], slot->last);
}

static void do_page_alloc(const struct op *op)
{
	struct slot *slot = &slots[op->slot];

	if (slot->state)
		return;
	slot->state = SLOT_BUSY;
	struct page *page = alloc_pages(op->gfp | __GFP_NOWARN, op->arg);

	if (!page) {
		slot->state = SLOT_EMPTY;
		program_nr_null++;
		return;
	}
	watch_hold_pages(page, op->arg, true);
	slot->order = op->arg;
	slot->last = page;
	slot->last_is_page = true;
	publish(slot, page, SLOT_PAGE);
}

static void do_fill(const struct op *op)
{
	hoard_cache = op->cache;
	for (unsigned i = 0; i < op->arg && nr_hoard < HOARD_MAX; i++) {
		void *object = kmem_cache_alloc(world_caches[op->cache], __GFP_NOWARN);

		if (!object)
			return;
		took(op->cache, object, 0, NUMA_NO_NODE);
		hoard[nr_hoard++] = object;
	}
}

static void do_spill(const struct op *op)
{
	for (unsigned i = 0; i < op->arg && nr_hoard; i++)
		free_object(hoard_cache, hoard[--nr_hoard]);
}

/* ---- caches ---- */

static void find_first_cache(struct kmem_cache *cache, void *arg)
{
	if (!strcmp(cache->kc_name, "kmem_cache"))
		*(struct kmem_cache **)arg = cache;
}

/* As if so many ticks had passed that this one sweeps. */
static void do_tick(void)
{
	static struct kmem_cache *first;

	for (unsigned i = NR_WORLD_CACHES; !first; i++)
		find_first_cache(world_caches[i], &first);
	unsigned long flags = port_irq_save();

	port_store(&cache_this_cpu(first)->cc_ticks, 63u);
	port_irq_restore(flags);
	dolmen_tick();
}

static void do_drain_barns(struct kmem_cache *cache, unsigned nid)
{
	struct kmem_cache_node *node = cache->kc_node[nid];

	for (unsigned i = 0; i < node->kn_nr_barns; i++)
		sheaf_drain_barn(cache, nid, &node->kn_barn[i], ~0ul, BARN_SLOTS);
}

static void do_create(void)
{
	if (made_cache != -1)
		return;
	made_cache = -2;
	world_bury_cache(false);
	struct kmem_cache *cache = kmem_cache_create("made", 1024, 0, 0, NULL);

	if (cache)
		cache_set_knob(cache, KNOB_SHEAF, program->sheaf);
	made_cache = cache ? (int)world_add_cache(cache) : -1;
	program_nr_null += !cache;
}

static void do_destroy(void)
{
	if (made_cache < 0)
		return;
	struct kmem_cache *cache = world_caches[made_cache];

	world_remove_cache((unsigned)made_cache);
	made_cache = -2;
	if (!kmem_cache_destroy(cache))
		model_fail("a cache without objects was not destroyed");
	world_bury_cache(true);
	made_cache = -1;
}

static void do_drain(const struct op *op)
{
	struct kmem_cache *cache = world_caches[op->cache];

	switch (op->kind) {
	case OP_SHRINK:
		kmem_cache_shrink(cache);
		break;
	case OP_DRAIN_CPU:
		partial_drain_cpu(cache, op->arg);
		break;
	case OP_DRAIN_SHEAVES:
		sheaf_drain_cpu(cache, op->arg);
		break;
	case OP_DRAIN_BARN:
		do_drain_barns(cache, op->arg);
		break;
	case OP_DRAIN_ALL:
		dolmen_drain_all();
		break;
	default:
		page_alloc_drain();
	}
}

static void do_op(const struct op *op)
{
	struct cache_stats stats;

	switch ((enum op_kind)op->kind) {
	case OP_ALLOC:
	case OP_ALLOC_NODE:
		do_alloc(op);
		break;
	case OP_ALLOC_BULK:
		do_alloc_bulk(op);
		break;
	case OP_SHEAF_OF_OWN:
		do_sheaf_of_own(op);
		break;
	case OP_FREE:
		do_free(op);
		break;
	case OP_FREE_BULK:
		do_free_bulk(op);
		break;
	case OP_FREE_STALE:
		do_free_stale(op);
		break;
	case OP_JUDGE:
		do_judge(op);
		break;
	case OP_SHRINK:
	case OP_DRAIN_CPU:
	case OP_DRAIN_SHEAVES:
	case OP_DRAIN_BARN:
	case OP_DRAIN_ALL:
	case OP_DRAIN_PAGES:
		do_drain(op);
		break;
	case OP_TICK:
		do_tick();
		break;
	case OP_CPU_SLABS:
		limits_changed = !program->exact;
		cache_set_knob(world_caches[op->cache], KNOB_CPU_SLABS, op->arg);
		break;
	case OP_MIN_PARTIAL:
		limits_changed = !program->exact;
		cache_set_knob(world_caches[op->cache], KNOB_MIN_PARTIAL, op->arg);
		break;
	case OP_SHEAF:
		limits_changed = !program->exact;
		cache_set_knob(world_caches[op->cache], KNOB_SHEAF, op->arg);
		break;
	case OP_PAGE_ALLOC:
		do_page_alloc(op);
		break;
	case OP_CREATE:
		do_create();
		break;
	case OP_DESTROY:
		do_destroy();
		break;
	case OP_STATS:
		cache_stats(world_caches[op->cache], &stats);
		break;
	case OP_FILL:
		do_fill(op);
		break;
	case OP_SPILL:
		do_spill(op);
		break;
	case NR_OPS:
		break;
	}
}

static void run_thread(void *arg)
{
	const struct program_thread *thread = arg;

	for (unsigned i = 0; i < thread->nr_ops; i++)
		do_op(&thread->ops[i]);
}

/* ---- before ---- */

static void report_wrong_free(enum wrong_free kind, struct kmem_cache *cache,
	struct kmem_cache *given, const void *object, const void *caller)
{
	(void)cache, (void)given, (void)caller;
	if (nr_reports++ == program->wrong_frees)
		model_fail("a right free of %p is reported as wrong, kind %d", object, kind);
}

static void report_live(struct kmem_cache *cache)
{
	model_fail("cache %s is said to have live objects", cache->kc_name);
}

/* Takes pages away until as many are left as the program wants. */
static void shrink_pool(unsigned nid)
{
	unsigned want = program->pool[nid], free = watch_free_pages(nid);

	if (want == POOL_AMPLE)
		return;
	for (unsigned order = 6; order-- > 0;) {
		while (free > want && free - want >= 1u << order && nr_held < HELD_MAX) {
			struct page *page = alloc_pages_node(
				(int)nid, __GFP_THISNODE | __GFP_NOWARN | __GFP_HIGH, order);

			if (!page)
				break;
			watch_hold_pages(page, order, true);
			held[nr_held].page = page;
			held[nr_held++].order = order;
			free -= 1u << order;
		}
	}
}

/* As boot does on a node that is larger. */
static void open_page_caches(void)
{
	for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++)
		for (unsigned order = 0; order < 2; order++) {
			struct port_slot *slot = &world_page_cache(cpu)->pc_slots[0][order];

			port_store(&slot->sl_stack->ps_max, PROGRAM_PAGES);
		}
}

static void prepare(void)
{
	slab_reports.wrong_free = report_wrong_free;
	slab_reports.live_objects = report_live;
	memset(slots, 0, sizeof(slots));
	nr_hoard = nr_held = 0;
	last_stamp = 0;
	made_cache = -1;
	limits_changed = false;
	nr_reports = world_wrong_page_frees = 0;
	for (unsigned i = CACHE_FIRST_MADE; i < WORLD_CACHES; i++)
		if (world_caches[i])
			world_remove_cache(i);
	world_bury_cache(false);
	watch_begin(program->generation_bits, !program->sheaf, program->wrong_frees);
	model_become(0);
	for (unsigned i = 0; i < NR_WORLD_CACHES; i++) {
		cache_set_knob(world_caches[i], KNOB_CPU_SLABS, program->cpu_slabs);
		cache_set_knob(world_caches[i], KNOB_MIN_PARTIAL, program->min_partial);
		cache_set_knob(world_caches[i], KNOB_REMOTE_RATIO, program->remote_ratio);
		if (!program->sheaf)
			continue;
		cache_set_knob(world_caches[i], KNOB_SHEAF, program->sheaf);
		cache_set_knob(world_caches[i], KNOB_BARN, program->barn);
		if (program->grows)
			port_store(&world_caches[i]->kc_sheaf_size, 1u);
	}
	if (program->page_caches)
		open_page_caches();
	for (unsigned nid = 0; nid < world_nr_nodes; nid++)
		shrink_pool(nid);
}

/* The trades in all barns since it was called last. */
static uint64_t nr_trades(void)
{
	uint64_t trades = 0;

	for (unsigned i = 0; i < NR_WORLD_CACHES; i++)
		for (unsigned nid = 0; nid < world_nr_nodes; nid++) {
			struct kmem_cache_node *node = world_caches[i]->kc_node[nid];

			for (unsigned at = 0; at < node->kn_nr_barns; at++) {
				trades += node->kn_barn[at].bn_trades;
				node->kn_barn[at].bn_trades = 0;
			}
		}
	return trades;
}

/* ---- after ---- */

static void add_stats(void)
{
	for (unsigned i = 0; i < NR_WORLD_CACHES; i++)
		for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++) {
			const struct kmem_cache_cpu *c = world_cpu_part(world_caches[i], cpu);

			for (unsigned stat = 0; stat < NR_KEPT_STATS; stat++)
				program_stats[stat] += c->cc_stat[stat];
		}
}

static void give_all_back(void)
{
	model_become(0);
	dolmen_fail_pages(0, 0);
	for (unsigned i = 0; i < PROGRAM_SLOTS; i++)
		if (slots[i].state >= SLOT_OBJECT)
			free_slot(&slots[i]);
	while (nr_hoard)
		free_object(hoard_cache, hoard[--nr_hoard]);
	do_destroy();
	dolmen_drain_all();
}

static void check_given_back(const unsigned free_before[WORLD_NODES_MAX])
{
	watch_check_all(!limits_changed);
	for (unsigned nid = 0; nid < world_nr_nodes; nid++) {
		unsigned free = watch_free_pages(nid);

		if (free != free_before[nid])
			model_fail("node %u had %u free pages before, and has %u after", nid,
				free_before[nid], free);
		for (unsigned i = 0; i < NR_WORLD_CACHES; i++)
			if (world_caches[i]->kc_node[nid]->kn_slabs)
				model_fail("%s keeps %lu slabs and has no object",
					world_cache_names[i],
					world_caches[i]->kc_node[nid]->kn_slabs);
		for (unsigned i = 0; i < SHEAF_CACHES; i++)
			if (sheaf_caches[i]->kc_node[nid]->kn_slabs)
				model_fail("sheaves are left and all were drained");
	}
}

/* Every cache still serves; and goes away when asked to. */
static void use_again(void)
{
	for (unsigned i = 0; i < NR_WORLD_CACHES; i++) {
		void *object = kmem_cache_alloc(world_caches[i], __GFP_NOWARN);

		if (object) {
			took(i, object, 0, NUMA_NO_NODE);
			free_object(i, object);
		} else if (program->pool[0] == POOL_AMPLE) {
			model_fail("cache %s does not serve any more", world_cache_names[i]);
		}
	}
	for (unsigned i = 0; program->destroys && i < NR_WORLD_CACHES; i++)
		if (!kmem_cache_destroy(world_caches[i]))
			model_fail("cache %s was not destroyed", world_cache_names[i]);
}

static void run(void *arg)
{
	unsigned free_before[WORLD_NODES_MAX] = {0};
	uint64_t failures_before;

	(void)arg;
	prepare();
	nr_trades();
	for (unsigned nid = 0; nid < world_nr_nodes; nid++)
		free_before[nid] = watch_free_pages(nid);
	for (unsigned i = 0; i < program->nr_setup; i++) {
		model_become(program->setup_cpu[i]);
		do_op(&program->setup[i]);
	}
	failures_before = page_alloc_failures();
	dolmen_fail_pages(program->fail_skip,
		program->fail_count == FAIL_FOR_EVER ? UINT64_MAX : program->fail_count);
	for (unsigned i = 0; i < program->nr_threads; i++)
		model_add(program->thread[i].cpu, program->thread[i].is_interrupt, run_thread,
			(void *)(uintptr_t)&program->thread[i]);
	if (!model_run(plan))
		model_give_up();
	nr_reports += world_wrong_page_frees;
	if (nr_reports != program->wrong_frees)
		model_fail("%u wrong frees are reported, not %u", nr_reports, program->wrong_frees);
	program_failures = page_alloc_failures() - failures_before;
	program_nr_trades += nr_trades();
	add_stats();
	watch_check_all(!limits_changed);
	give_all_back();
	check_given_back(free_before);
	if (program->destroys || program->fail_count || model_steps % 4 == 0)
		use_again();
}

bool program_run(const struct program *wanted, const struct model_plan *wanted_plan)
{
	program = wanted;
	plan = wanted_plan;
	model_begin();
	bool good = model_try(run, NULL);

	model_end();
	return good;
}
