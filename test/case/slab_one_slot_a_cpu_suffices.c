#include "test/slab_tools.h"

static struct traffic traffic;
static unsigned nr_over;

static void look(void *arg)
{
	(void)arg;
	traffic_run(&traffic);
	if (port_load(&cache_this_cpu(traffic.cache)->cc_nr) > 1)
		port_fetch_add(&nr_over, 1u);
}

EXACT_CONTRACT("a limit of one slab a CPU is kept, when it was lowered too",
	"hand_over_half leaves one slab of two when the limit is one")
{
	struct kmem_cache *cache = kmem_cache_create("oneslot", 512, 0, 0, traffic_ctor);
	unsigned per_slab = cache->kc_best.objects;
	struct kmem_cache_cpu *c = cache_cpu(cache, 0);
	static void *objects[4 * 8];

	/* Lowered: the slabs above the limit go as soon as another one comes. */
	cache_set_knob(cache, KNOB_CPU_SLABS, 2);
	if (take_slabs(cache, (int)cpu_to_mem(0), 4, objects)) {
		for (unsigned slab = 0; slab < 2; slab++)
			kmem_cache_free(cache, objects[slab * per_slab]);
		CHECK(port_load(&c->cc_nr) == 2, "%u slots in use", port_load(&c->cc_nr));
		cache_set_knob(cache, KNOB_CPU_SLABS, 1);
		for (unsigned slab = 2; slab < 4; slab++) {
			kmem_cache_free(cache, objects[slab * per_slab]);
			CHECK(port_load(&c->cc_nr) == 1, "lowered to one: %u slots in use",
				port_load(&c->cc_nr));
		}
		for (unsigned slab = 0; slab < 4; slab++)
			free_some(cache, objects + slab * per_slab + 1, per_slab - 1);
	}
	traffic = traffic_of(cache, 64);
	nr_over = 0;
	test_run_on_all(look, NULL);
	CHECK(!nr_over, "%u CPUs hold more than one slab", nr_over);
	traffic_end(&traffic);
	destroy_empty(cache);
}
