/* The constructor runs in the middle of the making of a slab, so that is where the interrupt is
 * sent from. */
#include "test/slab_tools.h"

static struct kmem_cache *cache;
static void *taken[256];
static unsigned nr_taken, depth;
static char *first_built;

static void fill_slots(void *arg)
{
	(void)arg;
	while (nr_taken < 6 * cache->kc_best.objects)
		taken[nr_taken++] = kmem_cache_alloc(cache, GFP_ATOMIC);
	/* Full slabs that get an object back are kept by this CPU: its slots are full now. */
	for (unsigned i = 0; i < 6; i++)
		kmem_cache_free(cache, taken[i * cache->kc_best.objects]);
}

static void ctor(void *object)
{
	if (depth)
		return;
	depth = 1;
	first_built = object;
	test_interrupt(0, fill_slots, NULL);
}

EXACT_CONTRACT(
	"the first object of a new slab goes to the caller even if an interrupt fills the CPU's "
	"slots meanwhile",
	"grow keeps the slab first and allocates again")
{
	nr_taken = depth = 0;
	cache = kmem_cache_create("first", 512, 0, 0, ctor);
	char *object = kmem_cache_alloc(cache, GFP_KERNEL);

	CHECK(nr_taken == 6 * cache->kc_best.objects, "the interrupt did not come");
	CHECK(object && slab_of(object) == slab_of(first_built), "%p, not of the slab of %p",
		(void *)object, (void *)first_built);
	kmem_cache_free(cache, object);
	for (unsigned i = 0; i < nr_taken; i++)
		if (i % cache->kc_best.objects || i / cache->kc_best.objects >= 6)
			kmem_cache_free(cache, taken[i]);
	destroy_empty(cache);
}
