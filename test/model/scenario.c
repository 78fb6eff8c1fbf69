/*
 * Fixed programs. Each is named by what meets in it; bugs that were found are among them.
 *
 * Limits are tight, so that every slow path is a few steps away: one slab a CPU, no empty slab
 * kept, generations of 0 bits unless the scenario is about them. Two threads are run with every
 * schedule of at most 3 preemptions, three with 2.
 */
#include "test/model/scenario.h"

#define OP(kind_, ...)                                                                             \
	{                                                                                          \
		.kind = OP_##kind_, __VA_ARGS__                                                    \
	}
#define OF(cache_) .cache = CACHE_##cache_

#define ALLOC(cache_, slot_)		OP(ALLOC, OF(cache_), .slot = slot_)
#define ALLOC_GFP(cache_, slot_, gfp_)	OP(ALLOC, OF(cache_), .slot = slot_, .gfp = gfp_)
#define ALLOC_NODE(cache_, slot_, nid_) OP(ALLOC_NODE, OF(cache_), .slot = slot_, .arg = nid_)
#define ALLOC_BULK(cache_, slot_, nr_)	OP(ALLOC_BULK, OF(cache_), .slot = slot_, .arg = nr_)
#define FREE(slot_)			OP(FREE, .slot = slot_)
#define FREE_BULK(slot_, nr_)		OP(FREE_BULK, .slot = slot_, .arg = nr_)
#define FREE_STALE(slot_)		OP(FREE_STALE, .slot = slot_)
#define JUDGE(slot_)			OP(JUDGE, .slot = slot_)
#define FILL(cache_, nr_)		OP(FILL, OF(cache_), .arg = nr_)
#define SHRINK(cache_)			OP(SHRINK, OF(cache_))
#define DRAIN(cache_, cpu_)		OP(DRAIN_CPU, OF(cache_), .arg = cpu_)
#define DRAIN_SHEAVES(cache_, cpu_)	OP(DRAIN_SHEAVES, OF(cache_), .arg = cpu_)
#define DRAIN_BARN(cache_, nid_)	OP(DRAIN_BARN, OF(cache_), .arg = nid_)
#define SHEAF(cache_, limit_)		OP(SHEAF, OF(cache_), .arg = limit_)
#define DRAIN_PAGES                                                                                \
	{                                                                                          \
		.kind = OP_DRAIN_PAGES                                                             \
	}
#define MIN_PARTIAL(cache_, limit_) OP(MIN_PARTIAL, OF(cache_), .arg = limit_)
#define CPU_SLABS(cache_, limit_)   OP(CPU_SLABS, OF(cache_), .arg = limit_)
#define PAGES(slot_, order_)	    OP(PAGE_ALLOC, .slot = slot_, .arg = order_)
#define CREATE			    OP(CREATE, .cache = 0)
#define DESTROY			    OP(DESTROY, .cache = 0)
#define TICK			    OP(TICK, .cache = 0)

#define OPS(...) {__VA_ARGS__}, .nr_ops = sizeof((struct op[]){__VA_ARGS__}) / sizeof(struct op)
#define ON(cpu_, ...)                                                                              \
	{                                                                                          \
		.cpu = cpu_, .ops = OPS(__VA_ARGS__)                                               \
	}
#define INTERRUPT(cpu_, ...)                                                                       \
	{                                                                                          \
		.cpu = cpu_, .is_interrupt = 1, .ops = OPS(__VA_ARGS__)                            \
	}
#define THREADS(...)                                                                               \
	.thread = {__VA_ARGS__}, .nr_threads = sizeof((struct program_thread[]){__VA_ARGS__}) /    \
					       sizeof(struct program_thread)
#define BEFORE(...)                                                                                \
	.setup = {__VA_ARGS__}, .nr_setup = sizeof((struct op[]){__VA_ARGS__}) / sizeof(struct op)
#define LIMITS_(nodes_, slabs_, min_, pool_)                                                       \
	.nr_nodes = nodes_, .cpu_slabs = slabs_, .min_partial = min_, .pool = {pool_, POOL_AMPLE}
#define LIMITS(nodes_, slabs_, min_) LIMITS_(nodes_, slabs_, min_, POOL_AMPLE)
#define LIMITS_AND_PAGES(pool_)	     LIMITS_(1, 1, 0, pool_)

#define SHEAVES(objects_, barn_) .sheaf = objects_, .barn = barn_

/* BEFORE() runs on CPU 0 unless .setup_cpu says otherwise. */
const struct program scenarios[] = {
	{
		.name = "two CPUs free the objects of one full slab",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1), ALLOC(TWO, 2)),
		THREADS(ON(0, FREE(0)), ON(1, FREE(1))),
	},
	{
		.name = "a CPU thaws its full slab and another frees to it",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1)),
		THREADS(ON(0, ALLOC(TWO, 2)), ON(1, FREE(0))),
	},
	{
		.name = "a CPU thaws its full slab, and both its objects come back and it is given "
			"back",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1)),
		THREADS(ON(0, ALLOC(TWO, 2)), ON(1, FREE(0), FREE(1), DRAIN(TWO, 1))),
	},
	{
		.name = "a slab of one object is full and empty by turns on two CPUs",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(ONE, 0), ALLOC(ONE, 1)),
		THREADS(ON(0, FREE(0), ALLOC(ONE, 2)), ON(1, FREE(1), ALLOC(ONE, 3))),
	},
	{
		.name = "two CPUs empty a slab on its list",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), DRAIN(FOUR, 0)),
		THREADS(ON(0, FREE(0)), ON(1, FREE(1))),
	},
	{
		.name = "two CPUs empty two slabs of a list that may keep one",
		LIMITS(1, 1, 1),
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1), ALLOC(TWO, 2), DRAIN(TWO, 0), FREE(1),
			DRAIN(TWO, 0)),
		THREADS(ON(0, FREE(0)), ON(1, FREE(2))),
	},
	{
		.name = "a refill takes the slab that a free empties",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(FOUR, 0), DRAIN(FOUR, 0)),
		THREADS(ON(0, FREE(0)), ON(1, ALLOC(FOUR, 1))),
	},
	{
		.name = "shrink sorts the list while a slab on it empties",
		LIMITS(1, 1, 2),
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), DRAIN(FOUR, 0), FREE(0)),
		THREADS(ON(0, SHRINK(FOUR)), ON(1, FREE(1))),
	},
	{
		.name = "a CPU's slabs are taken away while it allocates",
		LIMITS(1, 2, 0),
		BEFORE(ALLOC(TWO, 0)),
		THREADS(ON(0, ALLOC(TWO, 1), ALLOC(TWO, 2)), ON(1, DRAIN(TWO, 0))),
	},
	{
		.name = "a CPU's slabs are taken away while it keeps one more",
		LIMITS(1, 2, 0),
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1), ALLOC(TWO, 2)),
		THREADS(ON(0, FREE(0)), ON(1, DRAIN(TWO, 0), FREE(1))),
	},
	{
		.name = "a CPU has no slot left and hands over while another frees to what it "
			"hands over",
		LIMITS(1, 1, 1),
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1), ALLOC(TWO, 2), ALLOC(TWO, 3), ALLOC(TWO, 4)),
		THREADS(ON(0, FREE(0), FREE(2)), ON(1, FREE(1))),
	},
	{
		.name = "a CPU whose limit was lowered hands over all that is above it",
		LIMITS(1, 3, 1),
		.exact = 1,
		BEFORE(ALLOC(ONE, 0), ALLOC(ONE, 1), ALLOC(ONE, 2), ALLOC(ONE, 3), FREE(0), FREE(1),
			CPU_SLABS(ONE, 1)),
		THREADS(ON(0, FREE(2)), ON(1, ALLOC(ONE, 4))),
	},
	{
		.name = "a refill races a drain that brings the slab",
		LIMITS(1, 1, 1),
		BEFORE(ALLOC(TWO, 0)),
		THREADS(ON(1, ALLOC(TWO, 1)), ON(2, DRAIN(TWO, 0)), ON(0, FREE(0))),
	},
	{
		.name = "three CPUs meet at one full slab: two frees, one allocation",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1)),
		THREADS(ON(0, ALLOC(TWO, 2)), ON(1, FREE(0)), ON(2, FREE(1))),
	},
	{
		.name = "three CPUs empty a slab that a drain puts on its list",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1)),
		THREADS(ON(0, FREE(0)), ON(1, FREE(1)), ON(2, DRAIN(TWO, 0))),
	},
	{
		.name = "two CPUs of another node free the objects of a full slab",
		LIMITS(2, 1, 0),
		.setup_cpu = {1, 1, 1},
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1), ALLOC(TWO, 2)),
		THREADS(ON(0, FREE(0)), ON(2, FREE(1))),
	},
	{
		.name = "a CPU of its own and one of another node free to a full slab",
		LIMITS(2, 1, 0),
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1), ALLOC(TWO, 2)),
		THREADS(ON(0, FREE(0)), ON(1, FREE(1))),
	},
	{
		.name = "one object slabs are freed by another node and given back at once",
		LIMITS(2, 1, 0),
		BEFORE(ALLOC(ONE, 0), ALLOC(ONE, 1)),
		THREADS(ON(1, FREE(0)), ON(0, ALLOC(ONE, 2))),
	},
	{
		.name = "an object of a node is taken from the list that a free empties",
		LIMITS(2, 1, 0),
		BEFORE(ALLOC(FOUR, 0), DRAIN(FOUR, 0)),
		THREADS(ON(1, ALLOC_NODE(FOUR, 1, 0)), ON(0, FREE(0))),
	},
	{
		.name = "an object of a node is the last of a slab on the list, and one comes back",
		LIMITS(2, 1, 0),
		BEFORE(ALLOC(TWO, 0), DRAIN(TWO, 0)),
		THREADS(ON(1, ALLOC_NODE(TWO, 1, 0)), ON(0, FREE(0))),
	},
	{
		.name = "an interrupt allocates within an allocation",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(TWO, 0)),
		THREADS(ON(0, ALLOC(TWO, 1), ALLOC(TWO, 2)), INTERRUPT(0, ALLOC(TWO, 3))),
	},
	{
		.name = "an interrupt frees to the slab that the interrupted free takes up",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1), ALLOC(TWO, 2)),
		THREADS(ON(0, FREE(0)), INTERRUPT(0, FREE(1))),
	},
	{
		.name = "an interrupt empties the slab that the interrupted free finds on its list",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), DRAIN(FOUR, 0)),
		THREADS(ON(0, FREE(0)), INTERRUPT(0, FREE(1)), ON(1, ALLOC(FOUR, 2))),
	},
	{
		.name = "the window moves on while an object that it leaves comes back",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(WIDE, 0), FILL(WIDE, 63)),
		THREADS(ON(0, ALLOC(WIDE, 1)), ON(1, FREE(0))),
	},
	{
		.name = "the window comes to where an object is being freed",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(WIDE, 0), FILL(WIDE, 70), ALLOC(WIDE, 1)),
		THREADS(ON(0, ALLOC(WIDE, 2)), ON(1, FREE(0))),
	},
	{
		.name = "the window comes to where one object is freed, and another in the old one "
			"is",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(WIDE, 0), FILL(WIDE, 70), ALLOC(WIDE, 1)),
		THREADS(ON(0, ALLOC(WIDE, 2)), ON(1, FREE(0)), ON(2, FREE(1))),
	},
	{
		.name = "the window comes to an object that is being freed, from one with the same "
			"bit",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(WIDE, 0), FILL(WIDE, 6), ALLOC(WIDE, 1), FILL(WIDE, 63), FREE(0)),
		THREADS(ON(0, ALLOC(WIDE, 2), ALLOC(WIDE, 3)), ON(1, JUDGE(1), FREE(1))),
	},
	{
		.name = "two objects outside the window come back to a full slab",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(WIDE, 0), ALLOC(WIDE, 1), FILL(WIDE, 70), ALLOC(WIDE, 2)),
		THREADS(ON(1, FREE(0)), ON(2, FREE(1))),
	},
	{
		.name = "an object outside the window is freed and taken while its free is under "
			"way",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(WIDE, 0), ALLOC(WIDE, 1), FILL(WIDE, 70)),
		THREADS(ON(1, FREE(0)), ON(2, FREE(1)),
			ON(0, ALLOC(WIDE, 2), ALLOC(WIDE, 3), ALLOC(WIDE, 4))),
	},
	{
		.name = "an interrupt frees outside the window that the interrupted free is in",
		LIMITS(1, 1, 0),
		BEFORE(ALLOC(WIDE, 0), FILL(WIDE, 69), ALLOC(WIDE, 1)),
		THREADS(ON(0, FREE(1)), INTERRUPT(0, FREE(0)), ON(1, DRAIN(WIDE, 0))),
	},
	{
		.name = "a thread moves to another node's CPU while it asks for memory of its own "
			"node alone",
		LIMITS(2, 1, 0),
		.migrates = 1,
		THREADS(ON(0, {.kind = OP_ALLOC_NODE,
				      .cache = CACHE_ONE,
				      .slot = 0,
				      .gfp = __GFP_THISNODE})),
	},
	{
		.name = "a tick sweeps all caches while one is destroyed",
		LIMITS(1, 1, 0),
		BEFORE(CREATE),
		THREADS(ON(0, TICK), ON(1, DESTROY)),
	},
	{
		.name = "two CPUs want the last page",
		LIMITS_AND_PAGES(1),
		THREADS(ON(0, ALLOC(ONE, 0)), ON(1, ALLOC(ONE, 1))),
	},
	{
		.name = "no page is left, and what another CPU holds is taken while it allocates",
		LIMITS_AND_PAGES(1),
		BEFORE(ALLOC(FOUR, 0)),
		THREADS(ON(1, ALLOC(FOUR, 1)), ON(0, ALLOC(FOUR, 2))),
	},
	{
		.name = "a slab of the smaller order is freed to while the larger one is wanted",
		LIMITS_AND_PAGES(3),
		BEFORE(ALLOC(FALLBACK, 0), FILL(FALLBACK, 3), ALLOC(FALLBACK, 1)),
		THREADS(ON(0, ALLOC(FALLBACK, 2)), ON(1, FREE(1), FREE(0))),
	},
	{
		.name = "blocks merge while one of them is split",
		LIMITS_AND_PAGES(4),
		BEFORE(PAGES(0, 0), PAGES(1, 0), PAGES(2, 1)),
		THREADS(ON(0, FREE(0), PAGES(3, 1)), ON(1, FREE(1), PAGES(4, 0))),
	},
	{
		.name = "a page goes through the page cache while all caches are emptied",
		LIMITS_AND_PAGES(2),
		.page_caches = 1,
		BEFORE(PAGES(0, 0)),
		THREADS(ON(0, FREE(0), PAGES(1, 0)), ON(1, PAGES(2, 1))),
	},
	{
		.name = "a CPU's page cache is taken away while it takes a page out",
		LIMITS(1, 1, 0),
		.page_caches = 1,
		BEFORE(PAGES(0, 0), FREE(0)),
		THREADS(ON(0, PAGES(1, 0), PAGES(2, 0)), ON(1, DRAIN_PAGES)),
	},
	{
		.name = "a CPU's page cache is taken away while it puts a page in",
		LIMITS(1, 1, 0),
		.page_caches = 1,
		BEFORE(PAGES(0, 0), PAGES(1, 0)),
		THREADS(ON(0, FREE(0), FREE(1)), ON(1, DRAIN_PAGES)),
	},
	{
		.name = "a CPU's page cache is taken away while it fills it",
		LIMITS(1, 1, 0),
		.page_caches = 1,
		BEFORE(PAGES(0, 0), PAGES(1, 0), FREE(0)),
		THREADS(ON(0, PAGES(2, 0), PAGES(3, 0), FREE(1)), ON(1, DRAIN_PAGES)),
	},
	{
		.name = "a CPU's page cache is taken away while it gives a batch of it back",
		LIMITS(1, 1, 0),
		.page_caches = 1,
		BEFORE(PAGES(0, 0), PAGES(1, 0), PAGES(2, 0), PAGES(3, 0), FREE(0), FREE(1)),
		THREADS(ON(0, FREE(2), FREE(3)), ON(1, DRAIN_PAGES)),
	},
	{
		.name = "two CPUs take away the page cache of a third, which goes on",
		LIMITS(1, 1, 0),
		.page_caches = 1,
		BEFORE(PAGES(0, 0), FREE(0)),
		THREADS(ON(0, PAGES(1, 0), FREE(1)), ON(1, DRAIN_PAGES), ON(2, DRAIN_PAGES)),
	},
	{
		.name = "an interrupt takes and puts pages within a window that takes one",
		LIMITS(1, 1, 0),
		.page_caches = 1,
		BEFORE(PAGES(0, 0), PAGES(1, 0), FREE(0)),
		THREADS(ON(0, PAGES(2, 0)), INTERRUPT(0, PAGES(3, 0), FREE(1))),
	},
	{
		.name = "an interrupt puts and takes pages within a window that puts one",
		LIMITS(1, 1, 0),
		.page_caches = 1,
		BEFORE(PAGES(0, 0), PAGES(1, 0)),
		THREADS(ON(0, FREE(0)), INTERRUPT(0, FREE(1), PAGES(2, 0))),
	},
	{
		.name = "an interrupt fills the page cache that the interrupted free has no room "
			"in",
		LIMITS(1, 1, 0),
		.page_caches = 1,
		BEFORE(PAGES(0, 0), PAGES(1, 0), PAGES(2, 0), PAGES(3, 0), FREE(0)),
		THREADS(ON(0, FREE(1), FREE(2)), INTERRUPT(0, FREE(3), DRAIN_PAGES)),
	},
	{
		.name = "a thread moves to another node's CPU while it takes and puts pages",
		LIMITS(2, 1, 0),
		.page_caches = 1,
		.migrates = 1,
		BEFORE(PAGES(0, 0), FREE(0)),
		THREADS(ON(0, PAGES(1, 0), FREE(1)), ON(1, PAGES(2, 0), FREE(2))),
	},
	{
		.name = "one block is freed by two CPUs, and goes into one page cache",
		LIMITS(1, 1, 0),
		.page_caches = 1,
		.wrong_frees = 1,
		BEFORE(PAGES(0, 0)),
		THREADS(ON(0, FREE(0)), ON(1, FREE_STALE(0))),
	},
	{
		.name = "the last page is in another CPU's cache",
		LIMITS_AND_PAGES(1),
		.page_caches = 1,
		BEFORE(PAGES(0, 0), FREE(0)),
		THREADS(ON(1, PAGES(1, 0)), ON(0, PAGES(2, 0), FREE(2))),
	},
	{
		.name = "a late exchange on a page that has moved on to another cache fails",
		LIMITS(1, 1, 0),
		.generation_bits = 32,
		.wrong_frees = 1,
		BEFORE(ALLOC(ONE, 0), ALLOC(ONE, 1)),
		THREADS(ON(0, FREE(0), DRAIN(ONE, 0), ALLOC(LIKE_ONE, 2), ALLOC(LIKE_ONE, 3)),
			ON(1, FREE_STALE(0))),
	},
	{
		.name = "one object is freed by two CPUs and counted once",
		LIMITS(1, 1, 1),
		.generation_bits = 32,
		.wrong_frees = 1,
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1), ALLOC(TWO, 2)),
		THREADS(ON(0, FREE(0)), ON(1, FREE_STALE(0))),
	},
	{
		.name = "an object on a list is freed twice while the last other one comes back",
		LIMITS(1, 1, 0),
		.generation_bits = 32,
		.wrong_frees = 1,
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), DRAIN(FOUR, 0), FREE(0)),
		THREADS(ON(0, FREE_STALE(0)), ON(1, FREE(1))),
	},
	{
		.name = "one object outside the window is freed by two CPUs and counted once",
		LIMITS(1, 1, 1),
		.generation_bits = 32,
		.wrong_frees = 1,
		BEFORE(ALLOC(WIDE, 0), FILL(WIDE, 70)),
		THREADS(ON(0, FREE(0)), ON(1, FREE_STALE(0))),
	},
	{
		.name = "the window comes to a free object while that is freed again",
		LIMITS(1, 1, 1),
		.generation_bits = 32,
		.wrong_frees = 1,
		BEFORE(ALLOC(WIDE, 0), ALLOC(WIDE, 1), FILL(WIDE, 63), FREE(0), FREE(1),
			FILL(WIDE, 7)),
		THREADS(ON(0, ALLOC(WIDE, 2)), ON(1, FREE_STALE(1))),
	},
	{
		.name = "a CPU's sheaves are taken away while it takes an object out",
		LIMITS(1, 1, 0),
		SHEAVES(2, 0),
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), FREE(0)),
		THREADS(ON(0, ALLOC(FOUR, 2)), ON(1, DRAIN_SHEAVES(FOUR, 0))),
	},
	{
		.name = "a CPU's sheaves are taken away while it puts an object in",
		LIMITS(1, 1, 0),
		SHEAVES(2, 0),
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), ALLOC(FOUR, 2)),
		THREADS(ON(0, FREE(0)), ON(1, DRAIN_SHEAVES(FOUR, 0))),
	},
	{
		.name = "a sheaf that was taken away is another CPU's while a window is in it",
		LIMITS(1, 1, 0),
		SHEAVES(3, 0),
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), ALLOC(FOUR, 2), FREE(2)),
		THREADS(ON(0, FREE(0)), ON(1, DRAIN_SHEAVES(FOUR, 0), FREE(1), ALLOC(FOUR, 3))),
	},
	{
		.name = "a CPU's two sheaves are taken away while it swaps them",
		LIMITS(1, 1, 0),
		SHEAVES(1, 0),
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), ALLOC(FOUR, 2)),
		THREADS(ON(0, FREE(0), FREE(1), ALLOC(FOUR, 3)), ON(1, DRAIN_SHEAVES(FOUR, 0))),
	},
	{
		.name = "two CPUs take away the sheaves of a third, which goes on",
		LIMITS(1, 1, 0),
		SHEAVES(2, 0),
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1)),
		THREADS(ON(0, FREE(0), ALLOC(TWO, 2)), ON(1, DRAIN_SHEAVES(TWO, 0)),
			ON(2, DRAIN_SHEAVES(TWO, 0))),
	},
	{
		.name = "an interrupt takes and puts within a window that takes",
		LIMITS(1, 1, 0),
		SHEAVES(2, 0),
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), ALLOC(FOUR, 2), FREE(1), FREE(2)),
		THREADS(ON(0, ALLOC(FOUR, 3)), INTERRUPT(0, ALLOC(FOUR, 4), FREE(0))),
	},
	{
		.name = "an interrupt puts and takes within a window that puts",
		LIMITS(1, 1, 0),
		SHEAVES(2, 0),
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), ALLOC(FOUR, 2), FREE(2)),
		THREADS(ON(0, FREE(0)), INTERRUPT(0, FREE(1), ALLOC(FOUR, 3))),
	},
	{
		.name = "an interrupt fills the sheaf that the interrupted free has no room in",
		LIMITS(1, 1, 0),
		SHEAVES(1, 1),
		BEFORE(ALLOC(EIGHT, 0), ALLOC(EIGHT, 1), ALLOC(EIGHT, 2), ALLOC(EIGHT, 3), FREE(3)),
		THREADS(ON(0, FREE(0), FREE(1)), INTERRUPT(0, FREE(2), ALLOC(EIGHT, 4))),
	},
	{
		.name = "two CPUs trade in one barn",
		LIMITS(1, 1, 0),
		SHEAVES(1, 1),
		BEFORE(ALLOC(EIGHT, 0), ALLOC(EIGHT, 1), ALLOC(EIGHT, 2), ALLOC(EIGHT, 3)),
		THREADS(ON(0, FREE(0), FREE(1), FREE(2)), ON(1, ALLOC(EIGHT, 4), ALLOC(EIGHT, 5))),
	},
	{
		.name = "two CPUs stock one barn with an empty sheaf",
		LIMITS(1, 1, 0),
		SHEAVES(1, 1),
		BEFORE(ALLOC(EIGHT, 0), ALLOC(EIGHT, 1), ALLOC(EIGHT, 2), ALLOC(EIGHT, 3)),
		THREADS(ON(1, FREE(0), FREE(1)), ON(2, FREE(2), FREE(3))),
	},
	{
		.name = "a full sheaf goes to a barn that is being emptied",
		LIMITS(1, 1, 0),
		SHEAVES(1, 1),
		BEFORE(ALLOC(EIGHT, 0), ALLOC(EIGHT, 1), ALLOC(EIGHT, 2), ALLOC(EIGHT, 3)),
		THREADS(ON(0, FREE(0), FREE(1), FREE(2)), ON(1, DRAIN_BARN(EIGHT, 0))),
	},
	{
		.name = "a full sheaf's objects come back to a slab that another CPU's is the last "
			"of",
		LIMITS(2, 1, 0),
		SHEAVES(1, 0),
		BEFORE(ALLOC(TWO, 0), ALLOC(TWO, 1), ALLOC(TWO, 2), FREE(2)),
		THREADS(ON(0, FREE(0), FREE(2)), ON(1, FREE(1))),
	},
	{
		.name = "a run of two comes back to a full slab while its third object does",
		LIMITS(2, 1, 0),
		SHEAVES(2, 0),
		BEFORE(FILL(FOUR, 1), ALLOC(FOUR, 0), ALLOC(FOUR, 1), ALLOC(FOUR, 2), FREE(0),
			FREE(1), DRAIN(FOUR, 0)),
		THREADS(ON(0, DRAIN_SHEAVES(FOUR, 0)), ON(1, FREE(2))),
	},
	{
		.name = "a run outside the window comes back while the window moves there",
		LIMITS(1, 1, 0),
		SHEAVES(2, 0),
		BEFORE(ALLOC(WIDE, 0), ALLOC(WIDE, 1), FILL(WIDE, 69), FREE(0), FREE(1)),
		THREADS(ON(1, DRAIN_SHEAVES(WIDE, 0)),
			ON(0, ALLOC(WIDE, 2), ALLOC(WIDE, 3), ALLOC(WIDE, 4))),
	},
	{
		.name = "a CPU's cross sheaf is taken away while it puts an object in",
		LIMITS(2, 1, 0),
		SHEAVES(2, 1),
		.setup_cpu = {1, 1, 1},
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), ALLOC(FOUR, 2)),
		THREADS(ON(0, FREE(0), FREE(1)), ON(1, DRAIN_SHEAVES(FOUR, 0))),
	},
	{
		.name = "a CPU's cross sheaf is taken away while it takes an object out",
		LIMITS(2, 1, 0),
		SHEAVES(2, 1),
		.setup_cpu = {1, 1, 0},
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), FREE(0)),
		THREADS(ON(0, ALLOC_NODE(FOUR, 2, 1)), ON(1, DRAIN_SHEAVES(FOUR, 0))),
	},
	{
		.name = "an interrupt frees to the cross sheaf that an allocation found empty",
		LIMITS(2, 1, 0),
		SHEAVES(1, 0),
		.setup_cpu = {1, 1, 0, 0},
		BEFORE(ALLOC(FOUR, 0), DRAIN(FOUR, 1), FREE(0), ALLOC_NODE(FOUR, 0, 1)),
		THREADS(ON(0, ALLOC_NODE(FOUR, 1, 1)), INTERRUPT(0, FREE(0))),
	},
	{
		.name = "a full cross sheaf goes to the barn that its node's own CPU takes from",
		LIMITS(2, 1, 0),
		SHEAVES(1, 1),
		.setup_cpu = {1, 1, 1},
		BEFORE(ALLOC(EIGHT, 0), ALLOC(EIGHT, 1), ALLOC(EIGHT, 2)),
		THREADS(ON(0, FREE(0), FREE(1)), ON(1, ALLOC(EIGHT, 3), ALLOC(EIGHT, 4))),
	},
	{
		.name = "a tick takes away idle sheaves and trims the barn that another CPU uses",
		LIMITS(1, 1, 0),
		SHEAVES(1, 2),
		BEFORE(ALLOC(EIGHT, 0), ALLOC(EIGHT, 1), ALLOC(EIGHT, 2), ALLOC(EIGHT, 3), FREE(0),
			FREE(1), FREE(2), TICK),
		THREADS(ON(0, TICK), ON(1, ALLOC(EIGHT, 4), FREE(3))),
	},
	{
		.name = "the limit of a sheaf is none for a moment while a CPU makes its two",
		LIMITS(1, 1, 0),
		SHEAVES(2, 0),
		THREADS(ON(2, ALLOC(FOUR, 0)), ON(1, SHEAF(FOUR, 0), SHEAF(FOUR, 2))),
	},
	{
		.name = "an object is put into a sheaf twice and counted once",
		LIMITS(1, 1, 1),
		SHEAVES(2, 0),
		.generation_bits = 32,
		.wrong_frees = 1,
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1)),
		THREADS(ON(0, FREE(0), FREE_STALE(0), DRAIN_SHEAVES(FOUR, 0)),
			ON(1, DRAIN_SHEAVES(FOUR, 0), FREE(1))),
	},
	{
		.name = "a CPU with nothing left finds it in another's sheaf",
		LIMITS_AND_PAGES(2),
		SHEAVES(2, 0),
		BEFORE(ALLOC(ONE, 0), FREE(0)),
		THREADS(ON(1, ALLOC(ONE, 1)), ON(0, ALLOC(ONE, 2), FREE(2))),
	},
	{
		.name = "a thread moves to another node's CPU while it frees to its sheaf",
		LIMITS(2, 1, 0),
		SHEAVES(1, 1),
		.migrates = 1,
		BEFORE(ALLOC(EIGHT, 0), ALLOC(EIGHT, 1), ALLOC(EIGHT, 2)),
		THREADS(ON(0, FREE(0), FREE(1), FREE(2)), ON(1, ALLOC(EIGHT, 3), FREE(3))),
	},
	{
		.name = "a CPU's sheaves are taken away while it takes many objects",
		LIMITS(1, 1, 0),
		SHEAVES(2, 1),
		BEFORE(ALLOC(FOUR, 0), ALLOC(FOUR, 1), ALLOC(FOUR, 2), FREE(0), FREE(1)),
		THREADS(ON(0, ALLOC_BULK(FOUR, 3, 4)), ON(1, DRAIN_SHEAVES(FOUR, 0))),
	},
	{
		.name = "a CPU's sheaves are taken away while it frees many objects",
		LIMITS(1, 1, 0),
		SHEAVES(2, 1),
		BEFORE(ALLOC_BULK(FOUR, 0, 4), FREE(3)),
		THREADS(ON(0, FREE_BULK(0, 3)), ON(1, DRAIN_SHEAVES(FOUR, 0))),
	},
	{
		.name = "an interrupt takes and frees many between the runs of who does",
		LIMITS(1, 1, 0),
		SHEAVES(2, 1),
		BEFORE(ALLOC_BULK(EIGHT, 0, 6)),
		THREADS(ON(0, FREE_BULK(0, 4), ALLOC_BULK(EIGHT, 6, 5)),
			INTERRUPT(0, ALLOC_BULK(EIGHT, 0, 3), FREE_BULK(4, 3))),
	},
	{
		.name = "two CPUs take many of one barn and one list",
		LIMITS(1, 1, 1),
		SHEAVES(2, 2),
		BEFORE(ALLOC_BULK(FOUR, 0, 6), ALLOC_BULK(FOUR, 6, 5), FREE_BULK(0, 6),
			FREE_BULK(6, 3)),
		THREADS(ON(1, ALLOC_BULK(FOUR, 0, 3)), ON(2, ALLOC(FOUR, 4))),
	},
	{
		.name = "many objects of a full slab come back at once while its last one does",
		LIMITS(2, 1, 0),
		BEFORE(ALLOC_BULK(FOUR, 0, 4), ALLOC(FOUR, 4), DRAIN(FOUR, 0)),
		THREADS(ON(0, FREE_BULK(0, 3)), ON(1, FREE(3))),
	},
	{
		.name = "of many objects of two nodes each goes to its own while one node drains",
		LIMITS(2, 1, 0),
		SHEAVES(2, 1),
		.setup_cpu = {0, 1, 1},
		BEFORE(ALLOC_BULK(FOUR, 0, 2), ALLOC_BULK(FOUR, 2, 3), FREE(4)),
		THREADS(ON(0, FREE_BULK(0, 4)), ON(1, DRAIN_SHEAVES(FOUR, 0))),
	},
	{
		.name = "a thread moves to another CPU while it makes the sheaves larger that this "
			"one puts into",
		LIMITS(1, 1, 0),
		SHEAVES(4, 0),
		.grows = 1,
		.migrates = 1,
		BEFORE(ALLOC(EIGHT, 0), ALLOC(EIGHT, 1), ALLOC(EIGHT, 2)),
		THREADS(ON(0, ALLOC(EIGHT, 3)),
			ON(1, FREE(0), ALLOC(EIGHT, 0), FREE(0), ALLOC(EIGHT, 0), FREE(0),
				ALLOC(EIGHT, 0), FREE(0))),
	},
	{
		.name = "a tick sweeps all caches while one with sheaves is destroyed",
		LIMITS(1, 1, 0),
		SHEAVES(2, 1),
		BEFORE(CREATE),
		THREADS(ON(0, TICK), ON(1, DESTROY)),
	},
};

const unsigned nr_scenarios = sizeof(scenarios) / sizeof(scenarios[0]);
