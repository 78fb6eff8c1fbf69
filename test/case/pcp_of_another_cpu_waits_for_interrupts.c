#include <dolmen/numa.h>
#include "mm/page_alloc.h"
#include "mm/pcp.h"
#include "test/contract.h"

static void use(void *arg)
{
	(void)arg;
	__free_pages(alloc_pages(GFP_KERNEL, 0), 0);
}

static unsigned cached_on(unsigned cpu)
{
	const struct port_slot *slot = percpu_ptr(pcp_slot(0), cpu);

	return port_load(&port_load(&slot->sl_stack)->ps_count);
}

CONTRACT("with interrupts off a CPU gives back its own page cache and leaves the others', since it "
	 "cannot wait for them",
	"drain_cpu does not ask whether interrupts are on")
{
	unsigned cpu = test_nr_cpus() - 1;

	if (!cpu) {
		contract_skip("one CPU");
		return;
	}
	test_run_on(cpu, use, NULL);
	unsigned before = cached_on(cpu);
	if (!before) {
		contract_skip("too little memory for page caches");
		return;
	}
	unsigned long flags = port_irq_save();
	use(NULL);
	page_alloc_drain();
	unsigned own = cached_on(port_cpu()), other = cached_on(cpu);

	port_irq_restore(flags);
	CHECK(!own, "%u pages in the own cache", own);
	CHECK(other == before, "%u pages of %u in the other CPU's cache", other, before);
}
