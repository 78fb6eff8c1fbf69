/*
 * What the library takes of 16 MiB on one CPU before anybody allocates: "<metadata> <slabs>
 * <memmap>" in KiB. Metadata without the memmap, which grows with the memory.
 */
#include <stdio.h>
#include <stdlib.h>

#include <dolmen/limits.h>
#include <dolmen_hosted.h>

void port_log(const char *line)
{
	(void)line;
}

void port_panic(const char *line)
{
	fprintf(stderr, "%s\n", line);
	abort();
}

int main(void)
{
	const struct mem_range range = {
		.start_bytes = 0, .size_bytes = 16ul << 20, .kind = MEM_USABLE};
	const struct dolmen_init init = {.ranges = &range, .nr_ranges = 1, .nr_cpus = 1};
	const unsigned page_kib = PAGE_SIZE >> 10;
	struct dolmen_memory memory;

	if (!hosted_start(&init))
		return 1;
	dolmen_memory(&memory);
	printf("%lu %lu %lu\n", (memory.metadata - memory.memmap) * page_kib,
		(memory.managed - memory.free) * page_kib, memory.memmap * page_kib);
	return 0;
}
