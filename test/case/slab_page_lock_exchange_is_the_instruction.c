#include "test/slab_tools.h"

static struct page *page;
static unsigned arrived;

static void add_one(void *arg)
{
	unsigned rounds = *(unsigned *)arg;

	start_together(&arrived);
	while (rounds) {
		struct port_pair old = slab_pair(page);

		rounds -= cmpxchg_under_page_lock(
			page, old, (struct port_pair){old.lo + 1, old.hi + SLAB_GENERATION});
	}
}

CONTRACT("the exchange under the page's lock does what CMPXCHG16B does, from all CPUs at once too",
	"cmpxchg_under_page_lock does not take the lock")
{
	page = alloc_pages(GFP_KERNEL, 0);
	struct port_pair start = slab_pair(page), now = start;
	unsigned rounds = 400000 / test_nr_cpus();
	arrived = 0;

	/* Succeeds if both words are as expected, and changes nothing otherwise. */
	for (unsigned wrong = 0; wrong < 4; wrong++) {
		struct port_pair old = {
			now.lo + (wrong & 1), now.hi + (wrong >> 1) * SLAB_GENERATION};
		struct port_pair new = {now.lo + 5, now.hi + 3 * SLAB_GENERATION};
		bool done = cmpxchg_under_page_lock(page, old, new);

		CHECK(done == !wrong, "words that differ: %u, exchanged: %d", wrong, done);
		if (done)
			now = new;
		CHECK(slab_pair(page).lo == now.lo && slab_pair(page).hi == now.hi,
			"the pair is wrong");
	}
	test_run_on_all(add_one, &rounds);
	CHECK(slab_pair(page).lo == now.lo + (uint64_t)rounds * test_nr_cpus(),
		"%lu of %u exchanges", slab_pair(page).lo - now.lo, rounds * test_nr_cpus());
	CHECK(!port_load(&page->pg_lock), "the lock bit is left set");
	__free_pages(page, 0);
}
