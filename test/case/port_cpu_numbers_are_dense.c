/* What a port says of CPUs. */
#include <dolmen/numa.h>
#include "test/contract.h"

static void ask(void *cpu)
{
	unsigned expected = (unsigned)(uintptr_t)cpu, number;
	unsigned long flags = port_irq_save();
	const void *area = port_this_percpu();

	number = port_cpu();
	port_irq_restore(flags);
	CHECK(number == expected, "CPU %u says %u", expected, number);
	CHECK(area == percpu_areas[expected], "CPU %u has %p, not %p", expected, area,
		(void *)percpu_areas[expected]);
}

CONTRACT("each CPU has the number that it came online with, and the area of that number",
	"port_cpu() is the APIC id where ids have gaps")
{
	for (unsigned cpu = 0; cpu < test_nr_cpus(); cpu++)
		test_run_on(cpu, ask, (void *)(uintptr_t)cpu);
	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++)
		for (unsigned other = 0; other < cpu; other++)
			CHECK(percpu_areas[cpu] != percpu_areas[other], "CPUs %u and %u share one",
				cpu, other);
}
