#include "test/slab_tools.h"

#define NR_OBJECTS 300

static uint64_t nr_built;

struct thing {
	uint64_t id, uses;
	uint64_t body[10];
};

static void build(void *object)
{
	struct thing *thing = object;

	thing->id = ++nr_built;
	thing->uses = 0;
	fill(thing->body, sizeof(thing->body), thing->id);
}

CONTRACT("a constructor runs once for each object, and an object comes back as it was freed",
	"a free writes into the object, or an allocation runs the constructor")
{
	static struct thing *things[NR_OBJECTS];
	static bool seen[4 * NR_OBJECTS];
	uint64_t uses = 0;

	nr_built = 0;
	struct kmem_cache *cache = kmem_cache_create("things", sizeof(struct thing), 0, 0, build);
	for (unsigned round = 0; round < 5; round++) {
		for (unsigned i = 0; i < NR_OBJECTS; i++) {
			things[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			CHECK(things[i]->id && things[i]->id <= nr_built, "not constructed");
			CHECK(filled(things[i]->body, sizeof(things[i]->body), things[i]->id),
				"object %lu changed while it was free", things[i]->id);
			things[i]->uses++;
		}
		free_some(cache, (void **)things, NR_OBJECTS);
	}
	struct cache_stats stats;
	cache_stats(cache, &stats);
	CHECK(nr_built == stats.objects + stats.stat[FREE_SLAB] * stats.objects_per_slab ||
			stats.stat[ORDER_FALLBACK],
		"%lu constructed, %lu objects exist", nr_built, stats.objects);
	/* Whatever is free now was counted up each time it was out. */
	for (unsigned i = 0; i < NR_OBJECTS; i++) {
		things[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		uses += things[i]->uses;
		CHECK(things[i]->id < 4 * NR_OBJECTS && !seen[things[i]->id],
			"object %lu comes twice", things[i]->id);
		if (things[i]->id < 4 * NR_OBJECTS)
			seen[things[i]->id] = true;
	}
	CHECK(uses && uses <= 5 * NR_OBJECTS, "%lu uses", uses);
	free_some(cache, (void **)things, NR_OBJECTS);
	destroy_empty(cache);
}
