/*
 * The trap flag stops each call after every single instruction. Wherever interrupts are on there,
 * the handler does what an interrupt handler may do: it allocates and frees, from the same cache
 * and with the same pages.
 *
 * A call that tries again when a handler came between would never end if one came between each
 * time, so an instruction is interrupted VISITS times in one call at most: its retries are covered,
 * and then succeed.
 */
#include <dolmen/init.h>
#include <dolmen/page.h>
#include "arch/x86_64/trap.h"
#include "mm/pcp.h"
#include "test/runner.h"
#include "test/slab_tools.h"

#define KEPT   8
#define VISITS 3
#define PLACES 8192u /* a power of two, more than the instructions of any call */

static struct kmem_cache *cache, *made;
/* Boundaries: interrupted, with interrupts on but passed over, with interrupts off; and the
 * different ones of the first. */
static uint64_t nr_played, nr_passed, nr_closed, nr_places;
static unsigned this_turn, this_call;

static struct place {
	uint64_t rip;
	unsigned call, turn,
		visits; /* the last call and turn in which it was met, and how often in that */
} places[PLACES];

static uint64_t nr_damaged;
static uint64_t *kept[KEPT], *kept_pages[KEPT];
static void *objects[64];

#define OUT 0x6f7574 /* at the start of a block that somebody has */

static void *take_pages(gfp_t gfp, unsigned order)
{
	uint64_t *block = __get_free_pages(gfp, order);

	if (block && port_swap(block, (uint64_t)OUT) == OUT)
		nr_damaged++;
	return block;
}

static void give_pages(uint64_t *block, unsigned order)
{
	if (block && port_swap(block, 0ul) != OUT)
		nr_damaged++;
	free_pages(block, order);
}

/* One after the other of the kept blocks comes and goes, so that windows find more or fewer. */
static void interrupt_pages(void)
{
	unsigned i = (unsigned)(nr_played % KEPT), order = i % PCP_ORDERS;

	if (kept_pages[i])
		give_pages(kept_pages[i], order);
	kept_pages[i] = kept_pages[i] ? NULL : take_pages(GFP_ATOMIC | __GFP_NOWARN, order);
}

static void interrupt(void)
{
	uint64_t **slot = &kept[nr_played % KEPT];
	void *small = kmalloc_var(8 + nr_played % 3 * 56, GFP_ATOMIC | __GFP_NOWARN);

	if (*slot && port_swap(*slot, 0ul) != 1)
		nr_damaged++;
	kmem_cache_free(cache, *slot);
	*slot = kmem_cache_alloc(cache, GFP_ATOMIC | __GFP_NOWARN);
	if (*slot && port_swap(*slot, 1ul))
		nr_damaged++;
	kfree(small);
	interrupt_pages();
}

static bool may_interrupt(uint64_t rip)
{
	struct place *place = &places[rip % PLACES];

	while (place->rip && place->rip != rip)
		place = place == &places[PLACES - 1] ? places : place + 1;
	if (place->call != this_call)
		nr_places++;
	if (place->call != this_call || place->turn != this_turn)
		place->visits = 0;
	*place = (struct place){rip, this_call, this_turn, place->visits + 1};
	return place->visits <= VISITS;
}

static void on_step(struct trap_frame *frame)
{
	if (!(frame->rflags & PORT_RFLAGS_IF)) {
		port_count(&nr_closed, 1);
	} else if (may_interrupt(frame->rip)) {
		port_count(&nr_played, 1);
		interrupt();
		trap_restart_window(frame);
	} else {
		port_count(&nr_passed, 1);
	}
}

static void stepped(void (*call)(unsigned i), unsigned i)
{
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(RFLAGS_TF) : "memory", "cc");
	call(i);
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq" : : "i"(~RFLAGS_TF) : "memory", "cc");
}

/* ---- the calls; `i` counts their turns ---- */

static void cache_alloc(unsigned i)
{
	uint64_t *object = kmem_cache_alloc(cache, GFP_KERNEL);

	if (object && port_swap(object, 1ul))
		nr_damaged++;
	objects[i] = object;
}

static void cache_free(unsigned i)
{
	uint64_t *object = objects[i];

	if (object && port_swap(object, 0ul) != 1)
		nr_damaged++;
	kmem_cache_free(cache, object);
}

/* Six turns' objects lie in the array at a time, of different numbers. */
static void bulk_alloc(unsigned i)
{
	void **at = &objects[i % 6 * 10];

	if (!kmem_cache_alloc_bulk(cache, GFP_KERNEL, 5 + i % 6, at))
		nr_damaged++;
	for (unsigned k = 0; k < 5 + i % 6; k++)
		if (port_swap((uint64_t *)at[k], 1ul))
			nr_damaged++;
}

static void bulk_free(unsigned i)
{
	void **at = &objects[i % 6 * 10];

	for (unsigned k = 0; k < 5 + i % 6; k++)
		if (port_swap((uint64_t *)at[k], 0ul) != 1)
			nr_damaged++;
	kmem_cache_free_bulk(i % 2 ? cache : NULL, 5 + i % 6, at);
}

static struct slab_sheaf *sheaf;

static void prefilled(unsigned i)
{
	(void)i;
	sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 9);
}

static void from_sheaf(unsigned i)
{
	uint64_t *object = kmem_cache_alloc_from_sheaf(cache, GFP_KERNEL, sheaf);

	if (port_swap(object, 1ul) || port_swap(object, 0ul) != 1)
		nr_damaged++;
	objects[i] = object;
}

static void refilled(unsigned i)
{
	kmem_cache_free_bulk(cache, 6, objects);
	if (kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, 18 + i))
		nr_damaged++;
}

static void returned(unsigned i)
{
	(void)i;
	kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
}

static void constant(unsigned i)
{
	objects[i] = kmalloc(64, GFP_KERNEL);
}

static void variable(unsigned i)
{
	objects[i] = kmalloc_var(8 + i, GFP_KERNEL);
}

static void zeroed(unsigned i)
{
	objects[i] = kzalloc(16, GFP_KERNEL);
}

static void of_node(unsigned i)
{
	objects[i] = kmalloc_node(512, GFP_KERNEL, (int)(i % numa_nr_nodes()));
}

static void resized(unsigned i)
{
	objects[i] = krealloc(objects[i], 10 + i * 300, GFP_KERNEL);
}

static void large(unsigned i)
{
	objects[i] = kmalloc_var(20000 + i * 4000, GFP_KERNEL);
}

static void freed(unsigned i)
{
	kfree(objects[i]);
	objects[i] = NULL;
}

static void pages(unsigned i)
{
	objects[i] = take_pages(GFP_KERNEL, i % 5);
}

static void pages_freed(unsigned i)
{
	give_pages(objects[i], i % 5);
}

static void shrunk(unsigned i)
{
	(void)i;
	kmem_cache_shrink(cache);
}

static void created(unsigned i)
{
	(void)i;
	made = kmem_cache_create("stepped too", 200, 0, 0, NULL);
}

static void destroyed(unsigned i)
{
	(void)i;
	CHECK(kmem_cache_destroy(made), "not destroyed");
}

static const struct {
	const char *name;
	void (*call)(unsigned i);
	unsigned turns;
} calls[] = {
	{"kmem_cache_alloc", cache_alloc, 40},
	{"kmem_cache_free", cache_free, 40},
	{"alloc_bulk", bulk_alloc, 6},
	{"free_bulk", bulk_free, 6},
	{"prefill_sheaf", prefilled, 1},
	{"alloc_from_sheaf", from_sheaf, 6},
	{"refill_sheaf", refilled, 1},
	{"return_sheaf", returned, 1},
	{"kmalloc, constant", constant, 40},
	{"kfree", freed, 40},
	{"kmalloc, variable", variable, 40},
	{"kfree", freed, 40},
	{"kzalloc", zeroed, 20},
	{"kfree", freed, 20},
	{"kmalloc_node", of_node, 20},
	{"krealloc", resized, 20},
	{"kfree", freed, 20},
	{"kmalloc, large", large, 8},
	{"kfree, large", freed, 8},
	{"alloc_pages", pages, 60},
	{"free_pages", pages_freed, 60},
	{"kmem_cache_shrink", shrunk, 2},
	{"kmem_cache_create", created, 2},
	{"kmem_cache_destroy", destroyed, 1},
};

static uint64_t all_in_use(void)
{
	static struct cache_stats stats;
	uint64_t sum = 0;

	dolmen_drain_all(); /* sheaves themselves are objects */
	for (unsigned n = 0; cache_stats_nth(n, &stats); n++)
		sum += stats.in_use;
	return sum;
}

CONTRACT("every call may be interrupted between any two instructions by a handler that allocates "
	 "and "
	 "frees",
	"slab_alloc takes the slow lock with interrupts on: the handler waits for ever")
{
	cache = kmem_cache_create("stepped", 512, 0, 0, traffic_ctor);
	cache_set_knob(cache, KNOB_CPU_SLABS, 2);
	cache_set_knob(cache, KNOB_MIN_PARTIAL, 1);
	uint64_t before = all_in_use();

	nr_damaged = 0;
	trap_debug_hook = on_step;
	for (this_call = 1; this_call <= sizeof(calls) / sizeof(calls[0]); this_call++) {
		unsigned n = this_call - 1;

		nr_played = nr_passed = nr_closed = nr_places = 0;
		for (this_turn = 0; this_turn < calls[n].turns; this_turn++) {
			if (calls[n].call == created && this_turn)
				stepped(destroyed, 0);
			stepped(calls[n].call, this_turn);
		}
		uint64_t played = port_load(&nr_played);
		CHECK(played >= 3 * calls[n].turns, "%s was not stepped", calls[n].name);
		runner_print("# %-18s hit %6lu times at %4lu instructions, %6lu passed, %6lu with "
			     "interrupts off",
			calls[n].name, played, port_load(&nr_places), port_load(&nr_passed),
			port_load(&nr_closed));
	}
	trap_debug_hook = NULL;
	for (unsigned i = 0; i < KEPT; i++) {
		if (kept[i])
			*kept[i] = 0;
		kmem_cache_free(cache, kept[i]);
		give_pages(kept_pages[i], i % PCP_ORDERS);
		kept[i] = kept_pages[i] = NULL;
	}
	CHECK(!nr_damaged, "%lu objects or pages were handed out twice", nr_damaged);
	CHECK(all_in_use() == before, "%lu objects in use, not %lu", all_in_use(), before);
	destroy_empty(cache);
}
