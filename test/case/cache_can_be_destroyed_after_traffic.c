#include "test/slab_tools.h"

static struct traffic traffic;

CONTRACT("a cache can be destroyed right after traffic on all CPUs, with every page given back",
	"partial_unfreeze drops the slabs that it finds empty")
{
	for (unsigned i = 0; i < 8; i++) {
		/* Of the large ones a slab holds two, so slabs come and go at a high rate. */
		size_t bytes = i % 4 ? 16384 : 256;
		struct kmem_cache *cache = kmem_cache_create("traffic", bytes, 0, 0, traffic_ctor);

		traffic = traffic_of(cache, 32);
		cache_set_knob(cache, KNOB_CPU_SLABS, 1);
		cache_set_knob(cache, KNOB_MIN_PARTIAL, 0);
		test_run_on_all(traffic_run, &traffic);
		traffic_end(&traffic);
		destroy_empty(cache);
	}
}
