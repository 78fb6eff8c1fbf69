/*
 * (e) A kernel that speaks the Limine protocol, base revision 3: linked high, a direct map of what
 * is memory and of nothing else. The loader's tables and stacks stay in use.
 */
#include <dolmen/init.h>
#include <dolmen/maps.h>
#include <dolmen/page.h>
#include <dolmen/port.h>

#include "test/embed/limine/protocol.h"
#include "test/embed/small/small.h"
#include "test/port_check.h"

#define MAX_RANGES     512
#define MAX_TABLES     64 /* of pages: 2 MiB that firmware says something in, each */
#define APIC_PHYS      0xfee00000ul
#define PAGE_HERE      0x003ul /* present, writable */
#define PAGE_UNCACHED  0x018ul
#define PAGE_LARGE     0x080ul
#define PAGE_ADDRESS   0x000ffffffffff000ul
#define NR_ENTRIES     512
#define NR_LEVELS      4
#define BITS_PER_LEVEL 9
#define MAX_PHYS       (1ul << 46)

void limine_start(void);

uint64_t hhdm_offset;

static volatile uint64_t revision[3] __attribute__((used)) = LIMINE_REVISION(3);
static volatile struct limine_request ask_hhdm = {.id = LIMINE_ID_HHDM},
				      ask_memmap = {.id = LIMINE_ID_MEMMAP},
				      ask_rsdp = {.id = LIMINE_ID_RSDP},
				      ask_mp = {.id = LIMINE_ID_MP},
				      ask_image = {.id = LIMINE_ID_IMAGE};

void port_log(const char *line)
{
	port_check_log(line);
}

void port_panic(const char *line)
{
	port_check_log(line);
	small_exit(false);
}

/* ---- what the direct map leaves out: ACPI's tables, and devices ---- */

static uint64_t *table_at(uint64_t entry)
{
	return (uint64_t *)(hhdm_offset + (entry & PAGE_ADDRESS));
}

/* A page of zeros, 0 when there is none left. No page can be allocated yet. */
static uint64_t new_table(void)
{
	static uint64_t tables[MAX_TABLES][NR_ENTRIES] __attribute__((aligned(PAGE_SIZE)));
	static unsigned nr_tables;
	const struct limine_image *image = ask_image.response;

	return nr_tables == MAX_TABLES
		       ? 0
		       : (uint64_t)tables[nr_tables++] - image->virtual_base + image->physical_base;
}

static bool map_page(uint64_t phys, uint64_t flags)
{
	uint64_t virt = hhdm_offset + phys, *entry;

	__asm__("movq %%cr3, %0" : "=r"(entry));
	entry = table_at((uint64_t)entry);
	for (unsigned level = NR_LEVELS - 1;; level--) {
		entry += virt >> (PAGE_SHIFT + level * BITS_PER_LEVEL) & (NR_ENTRIES - 1);
		if (!level || *entry & PAGE_LARGE)
			break;
		if (!*entry) {
			uint64_t table = new_table();

			if (!table)
				return false;
			*entry = table | PAGE_HERE;
		}
		entry = table_at(*entry);
	}
	if (!*entry)
		*entry = phys | flags | PAGE_HERE;
	return true;
}

/* Into the holes of the direct map, so that an address has one place. What is there stays. */
static void *map_as(uint64_t phys, size_t size_bytes, uint64_t flags)
{
	uint64_t end = phys + size_bytes;

	if (end > MAX_PHYS || end < phys)
		return NULL;
	for (uint64_t page = phys & ~(PAGE_SIZE - 1); page < end; page += PAGE_SIZE)
		if (!map_page(page, flags))
			return NULL;
	return (void *)(hhdm_offset + phys);
}

static const void *map(uint64_t phys, size_t size_bytes)
{
	return map_as(phys, size_bytes, 0);
}

/* ---- CPUs ---- */

static void start_cpu(struct limine_cpu *cpu)
{
	small_other_cpu((unsigned)cpu->argument);
}

static void start_cpus(uint32_t apic_ids[SMALL_MAX_CPUS])
{
	const struct limine_mp *mp = ask_mp.response;
	unsigned nr = 1;

	for (uint64_t i = 0; i < mp->nr_cpus && nr < SMALL_MAX_CPUS; i++) {
		struct limine_cpu *cpu = mp->cpus[i];

		if (cpu->apic_id == mp->first_apic_id)
			continue;
		cpu->argument = nr++;
		__atomic_store_n(&cpu->start, start_cpu, __ATOMIC_RELEASE);
	}
	small_wait_for_cpus(nr, apic_ids);
}

static void come_online(void *unused)
{
	(void)unused;
	dolmen_cpu_online(small_cpu());
}

/* ---- from the loader's answers to a running library ---- */

static bool start_dolmen(void)
{
	static struct mem_range range[MAX_RANGES];
	static uint32_t apic_ids[SMALL_MAX_CPUS];
	struct mem_ranges ranges = {.range = range, .max = MAX_RANGES};
	const struct limine_memmap *memmap = ask_memmap.response;
	const struct limine_rsdp *rsdp = ask_rsdp.response;

	dolmen_ranges_limine(&ranges, memmap->entries, memmap->nr_entries, MEM_LOADER_STAYS);
	if (ranges.nr_no_room)
		port_log("limine: memory map too long, some memory is not used");
	start_cpus(apic_ids);
	if (!dolmen_init(&(struct dolmen_init){.ranges = range,
		    .nr_ranges = ranges.nr,
		    .nr_cpus = small_nr_cpus,
		    .apic_ids = apic_ids,
		    .rsdp_phys = rsdp ? rsdp->address : 0,
		    .map = map}))
		return false;
	for (unsigned cpu = 1; cpu < small_nr_cpus; cpu++) {
		small_start_work(cpu, come_online, NULL);
		small_wait_work(cpu);
	}
	return true;
}

/* All pages are taken, and frame 0 looked for among them: its address is no NULL here. */
static bool frame_0_is_usable(void)
{
	void **list = NULL, **page;
	bool found = false;

	while ((page = __get_free_pages(GFP_KERNEL | __GFP_NOWARN, 0))) {
		found |= port_virt_to_phys(page) == 0;
		*page = list;
		list = page;
	}
	while ((page = list)) {
		list = *page;
		free_pages(page, 0);
	}
	return found;
}

bool small_main(const void *unused)
{
	(void)unused;
	if (!start_dolmen())
		return false;
	port_check_expect(frame_0_is_usable(), "frame 0 is a page like any other");
	return port_check();
}

void limine_start(void)
{
	const struct limine_hhdm *hhdm = ask_hhdm.response;

	if (!revision[2] && hhdm && ask_memmap.response && ask_mp.response && ask_image.response) {
		hhdm_offset = hhdm->offset;
		small_apic = map_as(APIC_PHYS, PAGE_SIZE, PAGE_UNCACHED);
		small_first_cpu(0, NULL);
	}
	port_check_log("limine: the loader does not know revision 3, or not all requests");
	small_exit(false);
}
