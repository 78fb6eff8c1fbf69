#include "test/slab_tools.h"

#define OBJECTS 200

static struct kmem_cache *cache;
static void *objects[OBJECTS];

static void allocate(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < OBJECTS; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
}

static void give_back(void *arg)
{
	allocate(arg);
	for (unsigned i = 0; i < OBJECTS; i++)
		kmem_cache_free(cache, objects[i]);
}

/* A CPU of CPU 0's memory node with another last-level cache; 0: none. */
static unsigned find_other(void)
{
	unsigned cpu = test_nr_cpus();

	while (--cpu)
		if (cpu_to_mem(cpu) == cpu_to_mem(0) && cpu_to_llc(cpu) != cpu_to_llc(0))
			break;
	return cpu;
}

CONTRACT("full sheaves in the barn of another last-level cache are used up before a slab is made",
	"take_any_full looks into the CPU's own barn alone")
{
	unsigned other = find_other();
	struct cache_stats before, after;

	cache = kmem_cache_create("shared", 64, 0, 0, NULL);
	if (!other || !cache_knob(cache, KNOB_SHEAF)) {
		contract_skip("needs two last-level caches on a node, and sheaves");
		destroy_empty(cache);
		return;
	}
	cache_set_knob(cache, KNOB_SHEAF, 8);
	cache_set_knob(cache, KNOB_BARN, BARN_SLOTS);
	test_run_on(other, give_back, NULL);
	cache_stats(cache, &before);
	CHECK(before.in_sheaves >= OBJECTS / 2, "only %lu in sheaves", before.in_sheaves);
	allocate(NULL);
	cache_stats(cache, &after);
	CHECK(after.in_sheaves < before.in_sheaves - OBJECTS / 2, "%lu in sheaves, %lu before",
		after.in_sheaves, before.in_sheaves);
	free_some(cache, objects, OBJECTS);
	destroy_empty(cache);
}
