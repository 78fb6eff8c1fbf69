/*
 * Physical memory as one mapping, and what firmware would say of it.
 *
 * The layout has a bit of everything: frame 0 is usable, the hole below 1 MiB is not, half of the memory is below 4 GiB,
 * an eighth lies far away at 64 GiB, node borders are not section borders, proximity domains and APIC ids have gaps, distances
 * differ by direction. Usable ranges alone are accessible, so a stray access faults.
 */
#include "arch/hosted/hosted.h"

#include <string.h>
#include <sys/mman.h>

#include "lib/string.h"

#define HIGH_START (4ul << 30)
#define FAR_START  (64ul << 30)
#define ALIGN	   (1ul << 30) /* the direct map keeps at least the low 22 bits */
#define MAX_PIECES (2 * DOLMEN_MAX_NODES + 8)

char *hosted_base;

struct piece {
	uint64_t start, size;
	unsigned node;
};

static struct piece pieces[MAX_PIECES];
static unsigned nr_pieces;
static struct mem_range ranges[MAX_PIECES + 1];
static uint32_t apic_ids[DOLMEN_MAX_CPUS];
static unsigned char srat[65536], slit[65536];

static uint32_t pxm_of(unsigned node)
{
	return 1 + 3 * node;
}

/* ---- layout ---- */

static void add_pieces(
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
		pieces[nr_pieces++] = (struct piece){start, left, node};
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
	add_pieces(0, low, &offset, node_bytes, shape->nr_nodes);
	add_pieces(HIGH_START, size - low - far, &offset, node_bytes, shape->nr_nodes);
	add_pieces(FAR_START, far, &offset, node_bytes, shape->nr_nodes);
}

static void map_memory(void)
{
	const struct piece *last = &pieces[nr_pieces - 1];
	uint64_t bytes = last->start + last->size + ALIGN;
	char *all =
		mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (all == MAP_FAILED)
		hosted_die("cannot reserve %lu bytes of address space", bytes);
	hosted_base = (char *)(((uintptr_t)all + ALIGN - 1) & ~(ALIGN - 1));
	for (unsigned i = 0; i < nr_pieces; i++)
		if (mprotect(hosted_base + pieces[i].start, pieces[i].size, PROT_READ | PROT_WRITE))
			hosted_die("cannot map %lu bytes of memory", pieces[i].size);
}

/* ---- tables ---- */

static unsigned char *put(unsigned char *at, uint64_t value, unsigned bytes)
{
	while (bytes--) {
		*at++ = (unsigned char)value;
		value >>= 8;
	}
	return at;
}

/* Header of 36 bytes; the checksum makes all bytes add up to 0. */
static size_t finish_table(unsigned char *table, const char *signature, const unsigned char *end)
{
	unsigned char sum = 0;

	memcpy(table, signature, 4);
	put(table + 4, (uint64_t)(end - table), 4);
	table[8] = 3;
	memcpy(table + 10, "DOLMENHOSTED", 12);
	for (const unsigned char *at = table; at < end; at++)
		sum = (unsigned char)(sum + *at);
	table[9] = (unsigned char)-sum;
	return (size_t)(end - table);
}

static unsigned node_of_cpu(const struct hosted_shape *shape, unsigned cpu)
{
	unsigned nr_nodes = shape->nr_nodes - shape->cpuless, nr_cpus = shape->nr_cpus;

	if (shape->memoryless && cpu == nr_cpus - 1)
		return shape->nr_nodes;
	return cpu * nr_nodes / nr_cpus;
}

static size_t make_srat(const struct hosted_shape *shape)
{
	unsigned char *at = srat + 48;

	for (unsigned i = 0; i < nr_pieces; i++) {
		at = put(at, 1 | 40 << 8, 2);
		at = put(at, pxm_of(pieces[i].node), 4);
		at = put(at, 0, 2);
		at = put(at, pieces[i].start, 8);
		at = put(at, pieces[i].size, 8);
		at = put(at, 0, 4);
		at = put(at, 1, 4);
		at = put(at, 0, 8);
	}
	for (unsigned cpu = 0; cpu < shape->nr_cpus; cpu++) {
		at = put(at, 2 | 24 << 8, 2);
		at = put(at, 0, 2);
		at = put(at, pxm_of(node_of_cpu(shape, cpu)), 4);
		at = put(at, apic_ids[cpu], 4);
		at = put(at, 1, 4);
		at = put(at, 0, 8);
	}
	return finish_table(srat, "SRAT", at);
}

/* 10 to itself; further apart in number is further away, and a little more so downwards. */
static size_t make_slit(const struct hosted_shape *shape)
{
	unsigned nr_domains = pxm_of(shape->nr_nodes) + 1;
	unsigned char *at = put(slit + 36, nr_domains, 8);

	for (unsigned from = 0; from < nr_domains; from++)
		for (unsigned to = 0; to < nr_domains; to++)
			*at++ = (unsigned char)(from == to  ? 10
						: from < to ? 20 + (to - from) / 3
							    : 21 + (from - to) / 3);
	return finish_table(slit, "SLIT", at);
}

void hosted_memory(const struct hosted_shape *shape, struct dolmen_init *init)
{
	lay_out(shape);
	map_memory();
	for (unsigned i = 0; i < nr_pieces; i++)
		ranges[i] = (struct mem_range){pieces[i].start, pieces[i].size, MEM_USABLE};
	ranges[nr_pieces] = (struct mem_range){0xa0000, 0x60000, MEM_RESERVED};
	for (unsigned cpu = 0; cpu < shape->nr_cpus; cpu++)
		apic_ids[cpu] = 2 * cpu + (cpu >= 4 ? 300 : 0);

	*init = (struct dolmen_init){
		.ranges = ranges,
		.nr_ranges = nr_pieces + 1,
		.apic_ids = apic_ids,
		.nr_cpus = shape->nr_cpus,
	};
	if (shape->nr_nodes + shape->memoryless == 1)
		return;
	init->srat = srat;
	init->srat_bytes = make_srat(shape);
	init->slit = slit;
	init->slit_bytes = make_slit(shape);
}
