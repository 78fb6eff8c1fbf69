/* Double frees under load drove counters below zero elsewhere: of two frees of one object
 * exactly one succeeds, whoever is first. */
#include "mm/check.h"
#include "test/slab_tools.h"

#define NR_OBJECTS 4096

static struct kmem_cache *cache;
static void *objects[NR_OBJECTS];
static unsigned arrived, next[2];

/* Two walks over the same objects, several CPUs in each, a free and then a wrong one or the
 * other way round. */
static void free_all(void *arg)
{
	unsigned *mine = &next[port_cpu() % 2];

	(void)arg;
	start_together(&arrived);
	for (unsigned i; (i = port_fetch_add(mine, 1u)) < NR_OBJECTS;)
		kmem_cache_free(cache, objects[i]);
}

EXACT_CONTRACT(
	"of two frees of one object from two CPUs one succeeds and one is reported, and counters "
	"stay "
	"true",
	"partial_free_slow does not look at the bit again when it tries again")
{
	static const size_t sizes[] = {16, 64, 512};

	if (test_nr_cpus() < 2) {
		contract_skip("one CPU");
		return;
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		cache = kmem_cache_create("both", sizes[i], 0, 0, NULL);
		cache_set_knob(cache, KNOB_MIN_PARTIAL, 16);
		for (unsigned round = 0; round < 3; round++) {
			uint64_t reports = check_reports();
			/* One object stays in each slab, so that no slab ends under a second
			 * free. */
			void *stay[NR_OBJECTS / 4];
			unsigned per_slab = cache->kc_best.objects, nr_stay = 0;

			for (unsigned n = 0; n < NR_OBJECTS; n++) {
				objects[n] = kmem_cache_alloc(cache, GFP_KERNEL);
				if (n % (per_slab - 1) == 0 && nr_stay < NR_OBJECTS / 4)
					stay[nr_stay++] = kmem_cache_alloc(cache, GFP_KERNEL);
			}
			next[0] = next[1] = 0;
			test_run_on_all(free_all, NULL);
			CHECK(check_reports() == reports + NR_OBJECTS,
				"%zu bytes: %lu reports, not %u", sizes[i],
				check_reports() - reports, NR_OBJECTS);
			CHECK(objects_in_use(cache) == nr_stay, "%zu bytes: %lu in use, not %u",
				sizes[i], objects_in_use(cache), nr_stay);
			free_some(cache, stay, nr_stay);
		}
		destroy_empty(cache);
	}
}
