/* dolmen_memory(). */
#include <dolmen/init.h>
#include <dolmen/numa.h>
#include "mm/page_alloc.h"
#include "test/contract.h"

CONTRACT("usable memory is what is managed, what is metadata and what is reserved, to the page",
	"memblock_alloc rounds a page request down")
{
	struct dolmen_memory memory;
	uint64_t managed = 0, free = 0;

	dolmen_memory(&memory);
	CHECK(memory.usable == memory.managed + memory.metadata + memory.reserved,
		"%lu usable, %lu managed, %lu metadata, %lu reserved", memory.usable,
		memory.managed, memory.metadata, memory.reserved);
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		managed += page_alloc_managed(nid);
		free += numa_free_pages((int)nid);
		CHECK(numa_free_pages((int)nid) <= page_alloc_managed(nid),
			"node %u: %lu of %lu free", nid, numa_free_pages((int)nid),
			page_alloc_managed(nid));
	}
	CHECK(managed == memory.managed, "the nodes manage %lu pages, all together %lu", managed,
		memory.managed);
	CHECK(free == memory.free, "the nodes have %lu free pages, all together %lu", free,
		memory.free);
	CHECK(memory.memmap < memory.metadata, "%lu pages of memmap in %lu of metadata",
		memory.memmap, memory.metadata);
}
