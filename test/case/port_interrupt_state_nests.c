/* What a port does to the state of interrupts. */
#include "test/contract.h"

static void nest(void *unused)
{
	bool before = port_irq_enabled();
	unsigned long outer = port_irq_save();

	(void)unused;
	CHECK(!port_irq_enabled(), "on after a save");
	unsigned long inner = port_irq_save();

	port_irq_restore(inner);
	CHECK(!port_irq_enabled(), "on after the inner restore");
	port_irq_restore(outer);
	CHECK(port_irq_enabled() == before, "not as it was before the outer save");
}

static void nest_in_an_interrupt(void *unused)
{
	CHECK(!port_irq_enabled(), "on in a handler");
	nest(unused);
}

CONTRACT(
	"interrupts are off from the outer save to the outer restore, on every CPU and in handlers",
	"port_irq_restore() always turns interrupts on")
{
	for (unsigned cpu = 0; cpu < test_nr_cpus(); cpu++) {
		test_run_on(cpu, nest, NULL);
		test_interrupt(cpu, nest_in_an_interrupt, NULL);
	}
}
