/*
 * GS base and what it points at, on each CPU.
 */
#include <dolmen/numa.h>
#include <dolmen/page.h>
#include "arch/x86_64/cpu.h"
#include "kernel/smp.h"
#include "mm/memmap.h"
#include "mm/percpu.h"
#include "test/contract.h"

struct found {
	void *area;
	unsigned cpu;
};

static void look(void *arg)
{
	struct found *found = arg;

	found->area = port_this_percpu();
	found->cpu = port_cpu();
}

CONTRACT("GS leads every CPU to its own area, on its own memory node",
	"percpu_init() takes the area of every CPU from node 0")
{
	for (unsigned cpu = 0; cpu < smp_nr_cpus(); cpu++) {
		struct found found = {0};
		struct page *page;

		if (!smp_online(cpu))
			continue;
		smp_call(cpu, look, &found);
		CHECK(found.cpu == cpu, "CPU %u says that it is %u", cpu, found.cpu);
		CHECK(found.area == percpu_ptr(0, cpu), "CPU %u has area %p, not %p", cpu,
			found.area, percpu_ptr(0, cpu));
		page = virt_to_page(found.area);
		CHECK(page, "the area of CPU %u has no page", cpu);
		if (page)
			CHECK(page_node(port_load(&page->pg_word)) == cpu_to_mem(cpu),
				"the area of CPU %u is on node %u, not %u", cpu,
				page_node(port_load(&page->pg_word)), cpu_to_mem(cpu));
	}
}
