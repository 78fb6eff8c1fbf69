/*
 * The machine under construction, its start, and what must hold of its memory: see machines.h.
 */
#include "test/host/machines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mm/memmap.h"
#include "mm/page_alloc.h"
#include "test/hoard.h"

struct mem_range ranges[2 * DOLMEN_MAX_RANGES];
unsigned nr_ranges;
static uint32_t apic_ids[2 * DOLMEN_MAX_CPUS];
unsigned nr_cpus = 4;
struct hosted_table srat, slit;
const struct dolmen_nodes *nodes;
uint64_t rsdp_phys;
bool without_apic_ids;
uint64_t max_phys;
unsigned nr_wrong;
char log_text[65536];

void wrong(int line, const char *cond, const char *format, ...)
{
	va_list args;

	if (nr_wrong++ > 10)
		return;
	printf("# line %d: %s: ", line, cond);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

void port_log(const char *line)
{
	size_t length = strlen(log_text);

	snprintf(log_text + length, sizeof(log_text) - length, "%s\n", line);
}

void port_panic(const char *line)
{
	printf("# panic: %s\n", line);
	fflush(stdout);
	_exit(1);
}

void add(uint64_t start_bytes, uint64_t size_bytes, uint32_t kind)
{
	ranges[nr_ranges++] = (struct mem_range){start_bytes, size_bytes, kind};
}

/* ---- tables behind an RSDP, which lie in a page of the firmware's own ---- */

#define FIRMWARE_PHYS 0x7f000000ul

static uint8_t firmware[4 * sizeof(srat.bytes)];

static const void *map_firmware(uint64_t phys, size_t size_bytes)
{
	uint64_t offset = phys - FIRMWARE_PHYS;

	return offset < sizeof(firmware) && size_bytes <= sizeof(firmware) - offset
		       ? firmware + offset
		       : NULL;
}

static void sum(uint8_t *bytes, size_t size_bytes, unsigned checksum_at)
{
	bytes[checksum_at] = 0;
	for (size_t i = 0, sum = 0; i < size_bytes; i++) {
		sum += bytes[i];
		if (i == size_bytes - 1)
			bytes[checksum_at] = (uint8_t)-sum;
	}
}

/* RSDP of revision 0, RSDT at 64; SRAT and SLIT at 1 and 2 times 64 KiB. */
void put_tables_behind_rsdp(void)
{
	const uint32_t rsdt_phys = FIRMWARE_PHYS + 64, rsdt_bytes = 36 + 2 * 4;
	const uint32_t entries[] = {
		FIRMWARE_PHYS + sizeof(srat.bytes), FIRMWARE_PHYS + 2 * sizeof(srat.bytes)};

	memcpy(firmware, "RSD PTR ", 8);
	memcpy(firmware + 16, &rsdt_phys, 4);
	sum(firmware, 20, 8);
	memcpy(firmware + 64, "RSDT", 4);
	memcpy(firmware + 64 + 4, &rsdt_bytes, 4);
	memcpy(firmware + 64 + 36, entries, sizeof(entries));
	sum(firmware + 64, rsdt_bytes, 9);
	memcpy(firmware + sizeof(srat.bytes), srat.bytes, srat.size_bytes);
	memcpy(firmware + 2 * sizeof(srat.bytes), slit.bytes, slit.size_bytes);
	srat.size_bytes = slit.size_bytes = 0;
	rsdp_phys = FIRMWARE_PHYS;
}

bool start(void)
{
	struct dolmen_init init = {
		.ranges = ranges,
		.nr_ranges = nr_ranges,
		.apic_ids = without_apic_ids ? NULL : apic_ids,
		.nr_cpus = nr_cpus,
		.nodes = nodes,
		.max_phys = max_phys,
		.rsdp_phys = rsdp_phys,
		.map = rsdp_phys ? map_firmware : NULL,
		.srat = srat.size_bytes ? srat.bytes : NULL,
		.srat_bytes = srat.size_bytes,
		.slit = slit.size_bytes ? slit.bytes : NULL,
		.slit_bytes = slit.size_bytes,
	};

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		apic_ids[cpu] = cpu;
	return hosted_start(&init);
}

static bool is_usable(uint64_t phys)
{
	bool usable = false;

	for (unsigned i = 0; i < nr_ranges; i++) {
		const struct mem_range *range = &ranges[i];

		if (range->start_bytes + range->size_bytes < range->start_bytes ||
			phys + PAGE_SIZE <= range->start_bytes ||
			phys >= range->start_bytes + range->size_bytes)
			continue;
		if (range->kind != MEM_USABLE)
			return false;
		usable = true;
	}
	return usable;
}

static void check_block(const struct hoarded *block, unsigned nid)
{
	for (unsigned i = 0; i < 1u << block->order; i++) {
		const void *address = (const char *)block + i * PAGE_SIZE;
		struct page *page = virt_to_page(address);

		EXPECT(is_usable(port_virt_to_phys(address)), "0x%lx", port_virt_to_phys(address));
		EXPECT(page_node(port_load(&page->pg_word)) == nid,
			"pfn 0x%lx is of node %u, not %u", page_pfn(page),
			page_node(port_load(&page->pg_word)), nid);
	}
	/* Marks the whole of it, and finds marks of a block that overlaps. */
	for (unsigned i = 1; i < 1u << block->order; i++) {
		uint64_t *mark = (uint64_t *)((uintptr_t)block + i * PAGE_SIZE);

		EXPECT(*mark != (uintptr_t)mark, "pfn 0x%lx was given out twice",
			page_pfn(virt_to_page(mark)));
		*mark = (uintptr_t)mark;
	}
}

void use_all_memory(void)
{
	struct hoard hoards[DOLMEN_MAX_NODES] = {0};
	uint64_t before = numa_free_pages(NUMA_NO_NODE);

	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		uint64_t of_node = numa_free_pages((int)nid);

		hoard_fill(&hoards[nid], (int)nid, GFP_ATOMIC | __GFP_THISNODE);
		EXPECT(hoards[nid].nr_pages == of_node, "node %u: %lu pages of %lu", nid,
			hoards[nid].nr_pages, of_node);
		for (struct hoarded *block = hoards[nid].first; block; block = block->next)
			check_block(block, nid);
	}
	EXPECT(!numa_free_pages(NUMA_NO_NODE), "%lu pages are left", numa_free_pages(NUMA_NO_NODE));
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		for (struct hoarded *block = hoards[nid].first; block; block = block->next)
			for (unsigned i = 1; i < 1u << block->order; i++)
				*(uint64_t *)((uintptr_t)block + i * PAGE_SIZE) = 0;
		hoard_release(&hoards[nid]);
	}
	EXPECT(numa_free_pages(NUMA_NO_NODE) == before, "%lu pages are free, not %lu",
		numa_free_pages(NUMA_NO_NODE), before);
}

void expect_start(unsigned nr_nodes, const char *line)
{
	bool started = start();
	void *object;

	EXPECT(started, "does not start");
	if (!started)
		return;
	EXPECT(numa_nr_nodes() == nr_nodes, "%u nodes, not %u", numa_nr_nodes(), nr_nodes);
	EXPECT(!line || strstr(log_text, line), "not said: %s", line);
	object = kmalloc(100, GFP_KERNEL);
	EXPECT(object, "no object");
	kfree(object);
	use_all_memory();
}

void expect_memory(uint64_t usable, uint64_t reserved)
{
	struct dolmen_memory memory;

	dolmen_memory(&memory);
	EXPECT(memory.usable == usable && memory.reserved == reserved,
		"%lu usable, %lu reserved, not %lu and %lu", memory.usable, memory.reserved, usable,
		reserved);
}
