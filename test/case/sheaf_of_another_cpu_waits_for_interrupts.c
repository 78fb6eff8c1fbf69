#include "test/slab_tools.h"

static struct kmem_cache *cache;

static void use(void *arg)
{
	(void)arg;
	kmem_cache_free(cache, kmem_cache_alloc(cache, GFP_KERNEL));
}

CONTRACT("with interrupts off another CPU's sheaves are left where they are, since it cannot be "
	 "waited for",
	"sheaf_drain_cpu does not ask whether interrupts are on")
{
	cache = kmem_cache_create("kept", 64, 0, 0, NULL);
	unsigned cpu = test_nr_cpus() - 1;

	if (!cpu || !cache_knob(cache, KNOB_SHEAF)) {
		contract_skip(cpu ? "all caches are exact" : "one CPU");
		destroy_empty(cache);
		return;
	}
	test_run_on(cpu, use, NULL);
	unsigned long flags = port_irq_save();
	uint64_t before = sheaf_objects(cache);
	size_t pages = sheaf_drain_cpu(cache, cpu);
	uint64_t after = sheaf_objects(cache);
	port_irq_restore(flags);
	CHECK(before && after == before && !pages, "%lu of %lu objects are left in sheaves", after,
		before);
	destroy_empty(cache);
}
