#include "test/slab_tools.h"

static struct page *page;
static unsigned arrived;
static uint64_t nr_tries;

static void add_up(void *arg)
{
	uint64_t tries = 0;

	start_together(&arrived);
	for (unsigned left = *(unsigned *)arg; left; tries++) {
		struct port_pair old = slab_pair(page);

		left -= cmpxchg_under_page_lock(
			page, old, (struct port_pair){old.lo + 1, old.hi + SLAB_GENERATION});
	}
	port_fetch_add(&nr_tries, tries);
}

EXACT_CONTRACT(
	"the exchange under the page's lock does what CMPXCHG16B does, from all CPUs at once too",
	"cmpxchg_under_page_lock does not take the lock")
{
	page = alloc_pages(GFP_KERNEL, 0);
	struct port_pair start = slab_pair(page), now = start;
	unsigned rounds = 80000 / test_nr_cpus() + 1;
	uint64_t nr_done = 0;

	arrived = 0;
	nr_tries = 0;

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
	/* Until exchanges have failed for another CPU's sake. */
	unsigned nr_batches = test_nr_cpus() > 1 ? 40 : 1;
	for (unsigned batch = 0; batch < nr_batches && nr_tries < nr_done + 100; batch++) {
		test_run_on_all(add_up, &rounds);
		nr_done += (uint64_t)rounds * test_nr_cpus();
	}
	CHECK(slab_pair(page).lo == now.lo + nr_done, "%lu of %lu exchanges",
		slab_pair(page).lo - now.lo, nr_done);
	if (nr_tries < nr_done + 100)
		contract_skip("too few exchanges collided to say anything");
	CHECK(!port_load(&page->pg_lock), "the lock bit is left set");
	__free_pages(page, 0);
}
