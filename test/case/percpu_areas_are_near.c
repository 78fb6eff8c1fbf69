/* Where the per-CPU areas lie. */
#include <dolmen/numa.h>
#include "mm/memmap.h"
#include "mm/percpu.h"
#include "test/contract.h"

static void check_own_area(void *arg)
{
	(void)arg;
	unsigned long flags = port_irq_save();

	CHECK(port_this_percpu() == percpu_ptr(0, port_cpu()), "CPU %u is at %p, its area at %p",
		port_cpu(), port_this_percpu(), percpu_ptr(0, port_cpu()));
	port_irq_restore(flags);
}

CONTRACT("each CPU has an area of its own, on its memory node",
	"percpu_init allocates all areas on node 0")
{
	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++) {
		struct page *page = virt_to_page(percpu_ptr(0, cpu));

		CHECK(page, "the area of CPU %u at %p has no page", cpu, percpu_ptr(0, cpu));
		if (!page)
			continue;
		CHECK(page_node(port_load(&page->pg_word)) == cpu_to_mem(cpu),
			"the area of CPU %u is on node %u, not %u", cpu,
			page_node(port_load(&page->pg_word)), cpu_to_mem(cpu));
		for (unsigned other = 0; other < cpu; other++)
			CHECK(percpu_areas[other] + DOLMEN_PERCPU_BYTES <= percpu_areas[cpu] ||
					percpu_areas[cpu] + DOLMEN_PERCPU_BYTES <=
						percpu_areas[other],
				"the areas of CPUs %u and %u overlap", other, cpu);
	}
	test_run_on_all(check_own_area, NULL);
}
