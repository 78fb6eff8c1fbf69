#include "mm/page_alloc.h"
#include "test/slab_tools.h"

static uint64_t free_now(void)
{
	page_alloc_drain();
	return numa_free_pages(NUMA_NO_NODE);
}

CONTRACT(
	"kmem_cache_shrink returns the number of pages that it gave back, and leaves no empty slab",
	"partial_drain_cpu does not count the slabs that it ends")
{
	struct kmem_cache *cache = kmem_cache_create("shrunk", 512, 0, 0, NULL);
	unsigned per_slab = cache->kc_best.objects;
	static void *objects[12 * 8];

	for (unsigned stay = 0; stay <= 4; stay += 2) {
		cache_set_knob(cache, KNOB_MIN_PARTIAL, stay);
		cache_set_knob(cache, KNOB_CPU_SLABS, CPU_SLABS_MAX);
		if (!take_slabs(cache, (int)cpu_to_mem(0), 12, objects))
			break;
		/* Five slabs empty on the CPU; seven with an object each. */
		for (unsigned slab = 0; slab < 7; slab++)
			free_some(cache, objects + slab * per_slab + 1, per_slab - 1);
		partial_drain_cpu(cache, 0);
		free_some(cache, objects + 7 * per_slab, 5 * per_slab);
		uint64_t before = free_now();
		size_t pages = kmem_cache_shrink(cache);
		CHECK(free_now() == before + pages, "%zu pages by its word, %lu in truth", pages,
			free_now() - before);
		CHECK(pages == 5 && nr_slabs(cache) == 7, "%zu pages, %lu slabs left", pages,
			nr_slabs(cache));
		for (unsigned slab = 0; slab < 7; slab++)
			kmem_cache_free(cache, objects[slab * per_slab]);
		kmem_cache_shrink(cache);
		CHECK(!nr_slabs(cache), "%lu slabs left", nr_slabs(cache));
	}
	destroy_empty(cache);
}
