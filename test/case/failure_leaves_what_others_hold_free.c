/* When no page is to be had, objects that lie free elsewhere are memory too. */
#include <dolmen/init.h>

#include "test/slab_tools.h"

static struct kmem_cache *cache;
static void *objects[64];

static void use_here(void *arg)
{
	unsigned nr = 3 * cache->kc_best.objects;

	(void)arg;
	for (unsigned i = 0; i < nr; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	free_some(cache, objects + 1, nr - 1);
}

CONTRACT(
	"without a free page, the objects that other CPUs and nodes hold free are still handed out",
	"grow gives up when slab_new does")
{
	gfp_t gfps[] = {GFP_KERNEL | __GFP_NOWARN, GFP_ATOMIC | __GFP_NOWARN};

	for (unsigned cpu = 0;
		cpu<test_nr_cpus(); cpu += test_nr_cpus()> 8 ? test_nr_cpus() / 8 : 1) {
		for (unsigned i = 0; i < 4; i++) {
			cache = kmem_cache_create("held", 512, 0, 0, NULL);
			cache_set_knob(cache, KNOB_MIN_PARTIAL, i < 2 ? 0 : 4);
			test_run_on(cpu, use_here, NULL);
			dolmen_fail_pages(0, UINT64_MAX);
			void *object = kmem_cache_alloc(cache, gfps[i & 1]);
			void *other = kmem_cache_alloc(cache, gfps[i & 1]);
			dolmen_fail_pages(0, 0);
			CHECK(object && other && object != other, "CPU %u, case %u: %p and %p", cpu,
				i, object, other);
			kmem_cache_free(cache, object);
			kmem_cache_free(cache, other);
			kmem_cache_free(cache, objects[0]);
			destroy_empty(cache);
		}
	}
}
