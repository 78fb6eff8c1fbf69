#include "mm/page_alloc.h"
#include "test/hoard.h"
#include "test/slab_tools.h"

#define OBJECT_BYTES 8192

static struct kmem_cache *caches[2];

static uint64_t bytes_in_barns(void)
{
	return (barn_objects(barn_of_cpu_0(caches[0])) + barn_objects(barn_of_cpu_0(caches[1]))) *
	       OBJECT_BYTES;
}

/* `nr` objects of a cache, each with the address of the next in it, out and back. */
static void use(struct kmem_cache *cache, uint64_t nr)
{
	void **chain = NULL;

	while (nr--) {
		void **object = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN);

		if (!object)
			break;
		*object = chain;
		chain = object;
	}
	while (chain) {
		void **next = *chain;

		kmem_cache_free(cache, chain);
		chain = next;
	}
}

CONTRACT("all barns of a node together hold at most 1/64 of it, and as much again after they were "
	 "emptied",
	"give_full looks at its own barn alone, or take_full does not count what it takes")
{
	unsigned nid = cpu_to_mem(0);
	uint64_t most = page_alloc_managed(nid) * PAGE_SIZE / 64;
	bool sheaves = true;

	for (unsigned i = 0; i < 2; i++) {
		caches[i] = kmem_cache_create("shared", OBJECT_BYTES, 0, 0, NULL);
		sheaves = sheaves && cache_knob(caches[i], KNOB_SHEAF);
		cache_set_knob(caches[i], KNOB_SHEAF, sheaves ? 32 : 0);
		cache_set_knob(caches[i], KNOB_BARN, BARN_SLOTS);
	}
	for (unsigned round = 0; round < 2; round++) {
		if (!sheaves || !hoard_is_cheap()) {
			contract_skip("all caches are exact, or a node takes long to fill");
			break;
		}
		for (unsigned i = 0; i < 2; i++)
			use(caches[i], most * 3 / 4 / OBJECT_BYTES + 3 * 32);
		CHECK(bytes_in_barns() <= most, "round %u: %lu bytes in barns of %lu", round,
			bytes_in_barns(), most);
		CHECK(bytes_in_barns() >= most / 2 || most < 4 * 32 * OBJECT_BYTES,
			"round %u: only %lu bytes in barns of %lu", round, bytes_in_barns(), most);
		kmem_cache_shrink(caches[0]);
		kmem_cache_shrink(caches[1]);
	}
	destroy_empty(caches[0]);
	destroy_empty(caches[1]);
}
