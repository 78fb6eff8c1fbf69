/* A free outside the window sets its bit first and lowers inuse later; here it stops in between. */
#include <dolmen/slab.h>
#include "mm/slab.h"
#include "test/contract.h"

#define NR_OBJECTS 254 /* of 16 bytes in a page */
#define HELD	   200 /* one of the last window */

EXACT_CONTRACT(
	"an object may be handed out again before its free is counted, and the slab is full then",
	"pair_full() asks for equality: the taker finds no bit and panics")
{
	static char *objects[NR_OBJECTS];
	struct kmem_cache *cache = kmem_cache_create("under way", 16, 0, 0, NULL);

	for (unsigned i = 0; i < NR_OBJECTS; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	struct page *page = addr_to_page(objects[0]);
	CHECK(addr_to_page(objects[NR_OBJECTS - 1]) == page, "not one slab");
	CHECK(pair_full(slab_pair(page).hi), "not full");

	/* The first window comes back, so that the pair is not in the last one. */
	for (unsigned i = 0; i < 2; i++)
		kmem_cache_free(cache, objects[i]);
	for (unsigned i = 0; i < 2; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	CHECK(!pair_window(slab_pair(page).hi), "the window is not the first");

	char *held = (char *)page_to_virt(page) + HELD * 16, *other = held + 16;
	kmem_cache_free(cache, other);
	port_fetch_or(slab_word(cache, held, HELD), 1ul << (HELD % WINDOW_OBJECTS));
	for (unsigned i = 0; i < 2; i++) {
		char *again = kmem_cache_alloc(cache, GFP_KERNEL);

		CHECK(again == held || again == other, "%p", (void *)again);
	}
	CHECK(pair_inuse(slab_pair(page).hi) == NR_OBJECTS + 1, "%u in use",
		pair_inuse(slab_pair(page).hi));
	CHECK(!slab_take(cache, page), "an object too many");

	/* The rest of the free. */
	struct port_pair old, new;
	do {
		new = old = slab_pair(page);
		new.hi -= SLAB_INUSE_ONE;
	} while (!cmpxchg_double_slab(page, old, new));
	for (unsigned i = 0; i < NR_OBJECTS; i++)
		kmem_cache_free(cache, (char *)page_to_virt(page) + i * 16);
	CHECK(kmem_cache_destroy(cache), "objects left");
}
