/*
 * A timer interrupt in the middle of an allocation, whose handler allocates with interrupts off,
 * stopped other allocators for good: it waited for a lock that it had interrupted. The page source
 * of a cache is a place in the middle of everything.
 */
#include "test/slab_tools.h"

static struct kmem_cache *cache;
static struct page_source *usual, hooked;
static unsigned nr_interrupts, nr_wrong;
static void *kept[64];
static unsigned nr_kept;

static void handler(void *arg)
{
	void *object = kmem_cache_alloc(cache, GFP_ATOMIC);
	void *other = kmalloc(100, GFP_ATOMIC);

	(void)arg;
	nr_wrong += !object || !other || port_irq_enabled();
	kfree(other);
	if (object && nr_kept < 64 && nr_interrupts % 2)
		kept[nr_kept++] = object;
	else
		kmem_cache_free(cache, object);
}

static struct page *alloc_hooked(struct page_source *source, int nid, gfp_t gfp, unsigned order)
{
	(void)source;
	/* From inside the handler the source is as usual. */
	if (port_irq_enabled()) {
		nr_interrupts++;
		test_interrupt(0, handler, NULL);
	}
	return usual->alloc(usual, nid, gfp, order);
}

static void free_hooked(struct page_source *source, struct page *page, unsigned order)
{
	(void)source;
	if (port_irq_enabled()) {
		nr_interrupts++;
		test_interrupt(0, handler, NULL);
	}
	usual->free(usual, page, order);
}

CONTRACT("an interrupt in the middle of a slab's birth or end may allocate from and free to the "
	 "same "
	 "cache",
	"partial_alloc_slow asks for pages with the slow lock held")
{
	static void *objects[200];

	nr_interrupts = nr_wrong = nr_kept = 0;
	cache = kmem_cache_create("inside", 512, 0, 0, NULL);
	usual = cache->kc_source;
	hooked = (struct page_source){.alloc = alloc_hooked, .free = free_hooked};
	cache->kc_source = &hooked;
	cache_set_knob(cache, KNOB_MIN_PARTIAL, 0);
	for (unsigned round = 0; round < 5; round++) {
		for (unsigned i = 0; i < 200; i++) {
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			if (objects[i])
				fill(objects[i], 512, i);
		}
		for (unsigned i = 0; i < 200; i++) {
			CHECK(objects[i] && filled(objects[i], 512, i), "object %u shares memory",
				i);
			kmem_cache_free(cache, objects[i]);
		}
		kmem_cache_shrink(cache);
	}
	CHECK(nr_interrupts > 50, "%u interrupts", nr_interrupts);
	CHECK(!nr_wrong, "%u handlers got nothing", nr_wrong);
	cache->kc_source = usual;
	free_some(cache, kept, nr_kept);
	destroy_empty(cache);
}
