/* The order in which nodes stand in for each other. */
#include <dolmen/gfp.h>
#include <dolmen/numa.h>
#include "test/contract.h"

static unsigned steps(unsigned from, int to)
{
	return ((unsigned)to + numa_nr_nodes() - from) % numa_nr_nodes();
}

CONTRACT("a fallback list has every node with memory once, by distance, and equals start after the "
	 "node itself",
	"order_fallback breaks ties by the lower number")
{
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		uint64_t seen = 0, expected = 0;
		int before = NUMA_NO_NODE, at;

		for (unsigned i = 0; i < numa_nr_nodes(); i++)
			expected |= (uint64_t)numa_has_memory(i) << i;
		for (unsigned i = 0; (at = numa_fallback(nid, i)) != NUMA_NO_NODE;
			before = at, i++) {
			CHECK(!(seen >> at & 1), "node %u: %d is there twice", nid, at);
			seen |= 1ul << at;
			if (before == NUMA_NO_NODE)
				continue;
			unsigned d0 = numa_distance(nid, (unsigned)before),
				 d1 = numa_distance(nid, (unsigned)at);

			CHECK(d0 < d1 || (d0 == d1 && steps(nid, before) < steps(nid, at)),
				"node %u: %d at %u before %d at %u", nid, before, d0, at, d1);
		}
		CHECK(seen == expected, "node %u: nodes 0x%lx, not 0x%lx", nid, seen, expected);
	}
}
