/* cpu_to_mem(), on CPUs whose node has memory and on those whose node has none. */
#include <dolmen/numa.h>
#include <dolmen/page.h>
#include "mm/memmap.h"
#include "test/contract.h"

static void take_one(void *arg)
{
	struct page *page = alloc_pages(GFP_KERNEL, 0);

	if (page)
		*(unsigned *)arg = page_node(port_load(&page->pg_word));
	if (page)
		__free_pages(page, 0);
}

CONTRACT("a CPU is served by its own node, or the nearest with memory if its node has none",
	"cpu_to_mem gives node 0 to CPUs of a node without memory")
{
	for (unsigned cpu = 0; cpu < test_nr_cpus(); cpu++) {
		unsigned node = cpu_to_node(cpu), mem = cpu_to_mem(cpu), got = DOLMEN_MAX_NODES;

		CHECK(node < numa_nr_nodes(), "CPU %u is on node %u of %u", cpu, node,
			numa_nr_nodes());
		CHECK(numa_has_memory(mem), "CPU %u has memory node %u, which has none", cpu, mem);
		if (numa_has_memory(node))
			CHECK(mem == node, "CPU %u of node %u has memory node %u", cpu, node, mem);
		for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
			CHECK(!numa_has_memory(nid) ||
					numa_distance(node, nid) >= numa_distance(node, mem),
				"CPU %u: node %u is nearer than %u", cpu, nid, mem);
		test_run_on(cpu, take_one, &got);
		CHECK(got == mem, "CPU %u was served by node %u, not %u", cpu, got, mem);
	}
}
