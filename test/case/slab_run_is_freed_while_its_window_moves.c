/*
 * A run outside the window sets its bits and is held at its exchange by the page's own lock.
 * Meanwhile a taker moves the window there, and another frees one of the objects again: both are
 * played here.
 */
#include "mm/check.h"
#include "test/slab_tools.h"

#define NR_OBJECTS 254 /* of 16 bytes in a page */
#define WINDOW	   3u
#define TAKEN	   1ul /* bits of the run: the one that is handed out again ... */
#define TWICE	   2ul /* ... and the one that is freed again */

static struct kmem_cache *cache;

static void free_run(void *arg)
{
	struct slab_run run = {.page = arg, .window = WINDOW, .nr = 2, .objects = TAKEN | TWICE};

	partial_free_run(cache, &run, false, NULL);
}

/* The window moves to the run with all its bits, and the first object is handed out. */
static void play_taker(struct page *page, uint64_t *word)
{
	uint64_t counters = port_load(&page->pg_pair.hi);

	counters &= ~(SLAB_WINDOW_MASK << SLAB_WINDOW_SHIFT);
	counters |= (uint64_t)WINDOW << SLAB_WINDOW_SHIFT;
	port_store(&page->pg_pair.lo, port_swap(word, (uint64_t)0) & ~TAKEN);
	port_store(&page->pg_pair.hi, counters + 2 * SLAB_GENERATION + SLAB_INUSE_ONE);
}

EXACT_CONTRACT("a run whose bits a moving window took is counted, and neither an object handed out "
	       "again nor a second free is touched",
	"take_bits_back() is content with some of the bits, or keeps what is another's")
{
	static void *objects[NR_OBJECTS];

	if (port_has_cas16() || test_nr_cpus() == 1) {
		contract_skip("nothing holds an exchange, or nobody is there to be held");
		return;
	}
	cache = kmem_cache_create("moving", 16, 0, 0, NULL);
	for (unsigned i = 0; i < NR_OBJECTS; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	struct page *page = slab_of(objects[0]);
	uint64_t *word = slab_words(cache, page) + WINDOW;
	uint64_t reports = check_reports();

	/* The window goes back to the first, which the run is not in. */
	kmem_cache_free(cache, objects[0]);
	objects[0] = kmem_cache_alloc(cache, GFP_KERNEL);
	CHECK(pair_window(slab_pair(page).hi) == 0 && pair_full(slab_pair(page).hi), "%lx",
		slab_pair(page).hi);

	unsigned long flags = port_irq_save();
	while (port_swap(&page->pg_lock, (uint8_t)1))
		port_relax();
	test_start_on(1, free_run, page);
	while (port_load(word) != (TAKEN | TWICE))
		port_relax();
	play_taker(page, word);
	port_fetch_or(word, TWICE);
	port_store_release(&page->pg_lock, (uint8_t)0);
	port_irq_restore(flags);
	test_wait_for(1);

	struct port_pair pair = slab_pair(page);
	CHECK(pair.lo == TWICE && pair_inuse(pair.hi) == NR_OBJECTS - 1, "free %lx, %u in use",
		pair.lo, pair_inuse(pair.hi));
	CHECK(port_fetch_and(word, ~TWICE) == TWICE, "the second free's bit is lost");
	CHECK(check_reports() == reports, "%lu reports", check_reports() - reports);
	for (unsigned i = 0; i < NR_OBJECTS; i++)
		if (objects[i] != slab_object(cache, page, WINDOW * WINDOW_OBJECTS + 1))
			kmem_cache_free(cache, objects[i]);
	destroy_empty(cache);
}
