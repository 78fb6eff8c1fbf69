#include <dolmen/page.h>
#include "test/slab_tools.h"

static unsigned nr_on;

static void still_off(void)
{
	nr_on += port_irq_enabled();
}

CONTRACT("every call works with interrupts off, and leaves them off",
	"partial_alloc_slow turns interrupts on")
{
	static void *objects[300];
	struct kmem_cache *cache = kmem_cache_create("quiet", 512, 0, 0, NULL);

	nr_on = 0;
	cache_set_knob(cache, KNOB_MIN_PARTIAL, 0);
	unsigned long flags = port_irq_save();
	for (unsigned i = 0; i < 300; i++) {
		objects[i] = i % 3 ? kmem_cache_alloc(cache, GFP_ATOMIC)
				   : kmem_cache_alloc_node(
					     cache, GFP_ATOMIC, (int)(i / 3 % numa_nr_nodes()));
		CHECK(objects[i], "object %u: NULL", i);
		still_off();
	}
	for (unsigned i = 0; i < 300; i++) {
		kmem_cache_free(cache, objects[i]);
		still_off();
	}
	for (size_t bytes = 8; bytes <= 100000; bytes *= 3) {
		void *object = krealloc(kzalloc(bytes, GFP_ATOMIC), bytes * 2, GFP_ATOMIC);

		still_off();
		CHECK(object && all_zero(object, bytes), "%zu bytes", bytes);
		kfree_sensitive(object);
		still_off();
	}
	kfree(kmalloc_aligned(100, 8192, GFP_ATOMIC));
	free_pages(__get_free_pages(GFP_ATOMIC, 2), 2);
	kfree(&nr_on);
	still_off();
	port_irq_restore(flags);
	CHECK(port_irq_enabled(), "interrupts are off afterwards");
	CHECK(!nr_on, "%u times interrupts were on", nr_on);
	destroy_empty(cache);
}
