#include "test/embed/multiboot2/glue.h"

#include <dolmen/init.h>
#include <dolmen/maps.h>
#include <dolmen/port.h>

#include "test/port_check.h"
#include "test/embed/small/small.h"

#define MAX_RANGES	512 /* UEFI tells of a hundred */
#define FOUR_GIB	(1ul << 32)
#define TAG_RSDP_OLD	14 /* a copy of ACPI's root pointer follows the tag's head */
#define TAG_RSDP_NEW	15
#define TAG_HEAD_BYTES	8
#define INFO_HEAD_BYTES 8

extern char small_image[], small_image_end[];

void port_log(const char *line)
{
	port_check_log(line);
}

void port_panic(const char *line)
{
	port_check_log(line);
	small_exit(false);
}

/* What lies below 4 GiB is mapped. */
static const void *map(uint64_t phys, size_t size_bytes)
{
	return phys + size_bytes <= FOUR_GIB && phys + size_bytes >= phys ? (const void *)phys
									  : NULL;
}

static const void *find_rsdp(const char *info)
{
	const uint32_t *tag = (const uint32_t *)(info + INFO_HEAD_BYTES);

	for (; tag[0] && tag[1] >= TAG_HEAD_BYTES; tag += (tag[1] + 7) / 8 * 2)
		if (tag[0] == TAG_RSDP_OLD || tag[0] == TAG_RSDP_NEW)
			return (const char *)tag + TAG_HEAD_BYTES;
	return NULL;
}

static void come_online(void *unused)
{
	(void)unused;
	dolmen_cpu_online(small_cpu());
}

bool glue_start(const void *info)
{
	static struct mem_range range[MAX_RANGES];
	static uint32_t apic_ids[SMALL_MAX_CPUS];
	struct mem_ranges ranges = {.range = range, .max = MAX_RANGES};
	const void *rsdp = find_rsdp(info);
	const void *madt = small_find_table(rsdp, "APIC");

	/* Tables and stack are this kernel's own: of the loader's, its answers alone are kept. */
	dolmen_ranges_multiboot2(&ranges, info, (uint64_t)info, MEM_LOADER_GONE);
	dolmen_ranges_add(&ranges, (uint64_t)info, *(const uint32_t *)info, MEM_RESERVED);
	dolmen_ranges_add(&ranges, (uint64_t)small_image, (uint64_t)(small_image_end - small_image),
		MEM_RESERVED);
	dolmen_ranges_add(&ranges, SMALL_TRAMPOLINE, PAGE_SIZE, MEM_RESERVED);
	dolmen_ranges_add(&ranges, FOUR_GIB, UINT64_MAX - FOUR_GIB, MEM_RESERVED);

	if (ranges.nr_no_room)
		port_log("glue: memory map too long, some memory is not used");

	small_start_cpus(madt, apic_ids);
	if (!dolmen_init(&(struct dolmen_init){.ranges = range,
		    .nr_ranges = ranges.nr,
		    .nr_cpus = small_nr_cpus,
		    .apic_ids = apic_ids,
		    .rsdp_phys = (uint64_t)rsdp,
		    .map = map}))
		return false;
	for (unsigned cpu = 1; cpu < small_nr_cpus; cpu++) {
		small_start_work(cpu, come_online, NULL);
		small_wait_work(cpu);
	}
	return true;
}
