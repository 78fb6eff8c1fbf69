/* With sheaves a wrong free is found when the address reaches its slab. */
#include "mm/check.h"
#include "test/slab_tools.h"

#define OBJECTS 8

static struct kmem_cache *cache;
static char *objects[OBJECTS];

static void free_on_cpu(void *object)
{
	kmem_cache_free(cache, object);
}

/* Frees an address that is no object's into a sheaf of this CPU: one with room is there. */
static void free_to_sheaf(void *address)
{
	uint64_t reports = check_reports();

	kmem_cache_free(cache, kmem_cache_alloc(cache, GFP_KERNEL));
	kmem_cache_free(cache, address);
	CHECK(check_reports() == reports, "no sheaf took %p", address);
}

/* What was freed reaches the slabs: one report of that text, `nr` objects still out and whole. */
static void expect_one(const char *what, const char *text, uint64_t reports, unsigned nr)
{
	kmem_cache_shrink(cache);
	CHECK(check_reports() == reports + 1, "%s: %lu reports", what, check_reports() - reports);
	CHECK(test_log_has(text), "%s: not told as \"%s\"", what, text);
	CHECK(objects_in_use(cache) == nr, "%s: %lu objects in use, not %u", what,
		objects_in_use(cache), nr);
	for (unsigned i = OBJECTS - nr; i < OBJECTS; i++)
		CHECK(filled(objects[i], 96, i), "%s: object %u changed", what, i);
	test_log_clear();
}

CONTRACT("a wrong free that a sheaf took is reported once when it reaches its slab, and changes "
	 "nothing else",
	"sort_in takes an address inside an object for its start, or counts one twice")
{
	uint64_t reports;

	cache = kmem_cache_create("wrong", 96, 0, 0, NULL);
	cache_set_knob(cache, KNOB_MIN_PARTIAL, 0);
	if (!cache_knob(cache, KNOB_SHEAF)) {
		contract_skip("all caches are exact");
		destroy_empty(cache);
		return;
	}
	for (unsigned i = 0; i < OBJECTS; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		fill(objects[i], 96, i);
	}
	kmem_cache_shrink(cache);
	test_log_clear();

	reports = check_reports();
	free_to_sheaf(objects[3] + 8);
	expect_one("interior", "inside object", reports, OBJECTS);

	/* Past the last object of its slab. */
	reports = check_reports();
	char *slab = page_to_virt(slab_of(objects[3]));
	free_to_sheaf(slab + cache->kc_best.objects * cache->kc_stride);
	expect_one("past the last", "inside object", reports, OBJECTS);

	reports = check_reports();
	kmem_cache_free(cache, objects[0]);
	kmem_cache_free(cache, objects[0]);
	expect_one("twice in one sheaf", "double free", reports, OBJECTS - 1);

	reports = check_reports();
	kmem_cache_free(cache, objects[1]);
	test_run_on(test_nr_cpus() - 1, free_on_cpu, objects[1]);
	expect_one("twice on two CPUs", "double free", reports, OBJECTS - 2);

	for (unsigned i = 2; i < OBJECTS - 1; i++)
		kmem_cache_free(cache, objects[i]);
	kmem_cache_shrink(cache);
	reports = check_reports();
	kmem_cache_free(cache, objects[OBJECTS - 1]);
	test_run_on(test_nr_cpus() - 1, free_on_cpu, objects[OBJECTS - 1]);
	/* The first one ends the slab. */
	expect_one("twice, and the slab ended", "foreign", reports, 0);
	destroy_empty(cache);
}
