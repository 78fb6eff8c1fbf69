/* Interrupts that allocate and free, on a CPU that does nothing else. */
#include "mm/page_alloc.h"
#include "test/contract.h"

#define NR_INTERRUPTS 2000

static bool stop;
static uint64_t nr_served;

static void busy(void *arg)
{
	(void)arg;
	while (!port_load(&stop)) {
		for (unsigned order = 0; order < 5; order++) {
			struct page *page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, order);

			if (page)
				__free_pages(page, order);
		}
	}
}

static void in_interrupt(void *arg)
{
	unsigned order = *(unsigned *)arg % 5;
	struct page *page = alloc_pages(GFP_ATOMIC | __GFP_NOWARN, order);

	CHECK(!port_irq_enabled(), "interrupts are on in a handler");
	if (!page)
		return;
	__free_pages(page, order);
	port_store(&nr_served, port_load(&nr_served) + 1);
}

CONTRACT("an interrupt that lands in the middle of alloc_pages or a free is served in full",
	"zn_lock is taken with interrupts on")
{
	if (test_nr_cpus() < 2) {
		contract_skip("one CPU");
		return;
	}
	port_store(&stop, false);
	port_store(&nr_served, 0ul);
	test_start_on(1, busy, NULL);
	for (unsigned i = 0; i < NR_INTERRUPTS; i++)
		test_interrupt(1, in_interrupt, &i);
	port_store(&stop, true);
	test_wait_for(1);
	CHECK(nr_served == NR_INTERRUPTS, "%lu of %u interrupts were served", nr_served,
		NR_INTERRUPTS);
}
