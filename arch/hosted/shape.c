/*
 * A machine of a given shape, as its firmware would describe it.
 *
 * The layout has a bit of everything: frame 0 is usable, the hole below 1 MiB is not, half of the
 * memory is below 4 GiB, an eighth lies far away at 64 GiB, node borders are not section borders,
 * proximity domains and APIC ids have gaps, distances differ by direction.
 */
#include "arch/hosted/hosted.h"

#define HIGH_START (4ul << 30)
#define FAR_START  (64ul << 30)
#define MAX_RANGES (2 * DOLMEN_MAX_NODES + 8)

static struct mem_range ranges[MAX_RANGES];
static uint32_t range_pxm[MAX_RANGES];
static unsigned nr_ranges;
static uint32_t apic_ids[DOLMEN_MAX_CPUS];
static struct hosted_table srat, slit;

static uint32_t pxm_of(unsigned node)
{
	return 1 + 3 * node;
}

/*
 * `size` bytes from `start`, cut where *offset, the bytes laid out so far, passes from one node to
 * the next.
 */
static void add_ranges(
	uint64_t start, uint64_t size, uint64_t *offset, uint64_t node_bytes, unsigned nr_nodes)
{
	while (size) {
		unsigned node = (unsigned)(*offset / node_bytes);
		uint64_t left = (node + 1) * node_bytes - *offset;

		if (node >= nr_nodes - 1) {
			node = nr_nodes - 1;
			left = size;
		}
		if (left > size)
			left = size;
		range_pxm[nr_ranges] = pxm_of(node);
		ranges[nr_ranges++] = (struct mem_range){start, left, MEM_USABLE};
		start += left;
		size -= left;
		*offset += left;
	}
}

static void lay_out(const struct hosted_shape *shape)
{
	uint64_t size = shape->size_bytes & ~(8 * PAGE_SIZE - 1), low = size / 2, far = size / 8;
	uint64_t offset = 0;
	/* Five pages off, so that nodes meet inside a section. */
	uint64_t node_bytes = (size / shape->nr_nodes & ~(PAGE_SIZE - 1)) + 5 * PAGE_SIZE;

	if (low > 3ul << 30)
		low = 3ul << 30;
	add_ranges(0, low, &offset, node_bytes, shape->nr_nodes);
	add_ranges(HIGH_START, size - low - far, &offset, node_bytes, shape->nr_nodes);
	add_ranges(FAR_START, far, &offset, node_bytes, shape->nr_nodes);
}

static unsigned node_of_cpu(const struct hosted_shape *shape, unsigned cpu)
{
	unsigned nr_nodes = shape->nr_nodes - shape->cpuless, nr_cpus = shape->nr_cpus;

	if (shape->memoryless && cpu == nr_cpus - 1)
		return shape->nr_nodes;
	return cpu * nr_nodes / nr_cpus;
}

/* 10 to itself; further apart in number is further away, and a little more so downwards. */
static unsigned distance(unsigned from, unsigned to)
{
	if (from == to)
		return 10;
	return from < to ? 20 + (to - from) / 3 : 21 + (from - to) / 3;
}

void hosted_machine(const struct hosted_shape *shape, struct dolmen_init *init)
{
	lay_out(shape);
	for (unsigned cpu = 0; cpu < shape->nr_cpus; cpu++)
		apic_ids[cpu] = 2 * cpu + (cpu >= 4 ? 300 : 0);

	*init = (struct dolmen_init){
		.ranges = ranges,
		.apic_ids = apic_ids,
		.nr_cpus = shape->nr_cpus,
		.llc_shift = shape->nr_sharing, /* APIC ids are 2 apart */
	};
	if (shape->nr_nodes + shape->memoryless > 1) {
		hosted_srat_begin(&srat);
		for (unsigned i = 0; i < nr_ranges; i++)
			hosted_srat_memory(
				&srat, range_pxm[i], ranges[i].start_bytes, ranges[i].size_bytes);
		for (unsigned cpu = 0; cpu < shape->nr_cpus; cpu++)
			hosted_srat_cpu(&srat, pxm_of(node_of_cpu(shape, cpu)), apic_ids[cpu]);
		hosted_table_end(&srat);
		hosted_slit(&slit, pxm_of(shape->nr_nodes) + 1, distance);
		init->srat = srat.bytes;
		init->srat_bytes = srat.size_bytes;
		init->slit = slit.bytes;
		init->slit_bytes = slit.size_bytes;
	}
	ranges[nr_ranges++] = (struct mem_range){0xa0000, 0x60000, MEM_RESERVED};
	init->nr_ranges = nr_ranges;
}
