/*
 * Start order of the unikernel: one step after the other, each one line on the serial line. What a
 * step finds missing or wrong costs what needs it and nothing more; the boot ends only where there
 * is no memory to go on with.
 *
 *	serial, CPU features, own page tables, memory ranges, firmware tables, APIC and clocks,
 *	[dolmen_init: nodes, memmap, pages, slab], other CPUs, self-test, console
 */
#include <dolmen/init.h>
#include <dolmen/numa.h>
#include <dolmen/slab.h>

#include "arch/x86_64/apic.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/io.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/serial.h"
#include "arch/x86_64/timer.h"
#include "arch/x86_64/trap.h"
#include "boot/boot_info.h"
#include "kernel/console.h"
#include "kernel/machine.h"
#include "kernel/selftest.h"
#include "kernel/smp.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/log.h"
#include "mm/madt.h"
#include "mm/rsdp.h"
#include "test/runner.h"

static struct paging_taken taken;
static struct acpi_tables tables;
static uint32_t apic_ids[DOLMEN_MAX_CPUS];
static unsigned nr_cpus = 1;

static void say_start(const struct boot_info *info)
{
	mm_log("dolmen: %s image at %lx, %lu KiB, command line \"%.120s\"", info->loader,
		info->image_phys, info->image_bytes >> 10, info->cmdline);
}

static void find_features(void)
{
	const struct cpu_features *f = &cpu_features;
	const char *name = f->name;

	cpu_read_features();
	cpu_enable_features();
	while (*name == ' ')
		name++;
	mm_log("cpu: %s%s%s", *name ? name : "unnamed",
		f->cx16 ? ", cmpxchg16b: lockless mode" : ", no cmpxchg16b: page-lock mode",
		f->nx ? "" : ", no NX: data stays executable");
}

/* What lies past the direct map, or past the CPU's own addresses, is out of reach. */
static void reserve_unreachable(void)
{
	uint64_t limit = 1ul << cpu_features.phys_bits;

	if (limit > PORT_DIRECT_BYTES)
		limit = PORT_DIRECT_BYTES;
	boot_reserve(limit, UINT64_MAX - limit);
}

static void make_page_tables(const struct boot_info *info)
{
	char direct[16];

	reserve_unreachable();
	if (!paging_init(info, &taken))
		port_panic("no page tables");
	boot_reserve(taken.tables_phys, taken.tables_bytes);
	if (taken.trampoline_phys)
		boot_reserve(taken.trampoline_phys, PAGE_SIZE);
	mm_log("paging: %s mapped, %u pages of 2 MiB%s, tables %lu KiB at %lx, NX %s, SMEP %s",
		format_bytes(direct, sizeof(direct), taken.direct_bytes), taken.nr_large,
		cpu_features.page_1g ? " or 1 GiB" : "", taken.tables_bytes >> 10,
		taken.tables_phys, cpu_features.nx ? "on" : "absent",
		cpu_features.smep ? "on" : "absent");
}

static void say_ranges(const struct mem_ranges *ranges)
{
	unsigned nr_usable = 0;

	for (unsigned i = 0; i < ranges->nr; i++)
		nr_usable += ranges->range[i].kind == MEM_USABLE;
	mm_log("ranges: %u from firmware, %u of them usable", ranges->nr, nr_usable);
	if (ranges->nr_invalid || ranges->nr_no_room)
		mm_log("ranges: ignored are %u that are empty or pass 2^64, %u past the limit of "
		       "%u",
			ranges->nr_invalid, ranges->nr_no_room, ranges->max);
}

static const void *map_table(uint64_t phys, size_t size_bytes)
{
	return paging_map(phys, size_bytes, 0);
}

static void find_cpus(void)
{
	struct madt_result madt = {0};
	enum acpi_verdict verdict;

	if (!tables.madt.bytes) {
		apic_ids[0] = cpu_read_apic_id();
		return;
	}
	verdict = madt_parse(tables.madt.bytes, tables.madt.size_bytes, cpu_read_apic_id(),
		apic_ids, DOLMEN_MAX_CPUS, &madt);
	nr_cpus = madt.nr_cpus;
	if (verdict != ACPI_USABLE)
		mm_log("madt: not used: %s", acpi_verdict_text(verdict));
	if (madt.boot_cpu_added)
		mm_log("madt: the boot CPU, APIC id %u, is not in it", apic_ids[0]);
	if (madt.nr_past_limit)
		mm_log("madt: %u CPUs past the limit of %u are ignored", madt.nr_past_limit,
			DOLMEN_MAX_CPUS);
	if (madt.nr_duplicates || madt.nr_short || madt.truncated)
		mm_log("madt: %u entries for the same CPU, %u too short, %s", madt.nr_duplicates,
			madt.nr_short, madt.truncated ? "cut off" : "whole");
}

static void find_tables(const struct boot_info *info)
{
	struct acpi_power power;

	acpi_find(info->rsdp_phys, map_table, &tables);
	acpi_read_power(&tables, &power);
	machine_set_power(&power);
	find_cpus();
	mm_log("acpi: %s, %u tables (%u unusable, %u repeated), SRAT %lu bytes, SLIT %lu, MADT "
	       "%lu: %u CPUs",
		tables.root, tables.nr_tables, tables.nr_unusable, tables.nr_repeated,
		tables.srat.size_bytes, tables.slit.size_bytes, tables.madt.size_bytes, nr_cpus);
}

static void start_memory(const struct boot_info *info)
{
	const struct dolmen_init init = {
		.ranges = info->ranges.range,
		.nr_ranges = info->ranges.nr,
		.apic_ids = apic_ids,
		.nr_cpus = nr_cpus,
		.llc_shift = cpu_read_llc_shift(),
		.srat = tables.srat.bytes,
		.srat_bytes = tables.srat.size_bytes,
		.slit = tables.slit.bytes,
		.slit_bytes = tables.slit.size_bytes,
	};

	if (!dolmen_init(&init))
		port_panic("memory does not suffice");
	nr_cpus =
		numa_nr_cpus(); /* fewer than firmware has if there is no memory for their areas */
	dolmen_cpu_online(0);
	port_store(&timer_feeds_mm, true);
}

/*
 * Before memory is handed out, because the firmware may have left the other CPUs in a loop
 * somewhere in it: from here on they wait for their start without executing anything.
 */
static void start_apic(void)
{
	struct acpi_power power;
	bool known;

	acpi_read_power(&tables, &power);
	if (!apic_init()) {
		mm_log("apic: none; one CPU and no timer interrupts");
		return;
	}
	smp_park_others();
	known = timer_calibrate(power.pm_timer_port, nr_cpus);
	mm_log("apic: %s mode, TSC %lu MHz%s by the %s, timers %u Hz%s",
		apic_is_x2apic() ? "x2APIC" : "memory", timer_tsc_hz() / 1000000,
		cpu_features.invariant_tsc ? ", invariant," : "", timer_reference(),
		timer_rate(TIMER_HZ), known ? "" : ": no clock to set them by");
}

static void start_interrupts(void)
{
	if (!apic_present())
		return;
	timer_start();
	serial_enable_interrupt();
	__asm__ volatile("sti");
}

static void start_cpus(void)
{
	smp_start_all(apic_ids, nr_cpus, taken.trampoline_phys);
	mm_log("cpus: %u of %u run", smp_nr_online(), nr_cpus);
}

void port_log(const char *line)
{
	char text[256];
	size_t size_bytes = format_text(text, sizeof(text), "%s\n", line);

	runner_note_log(line);
	if (runner_active()) /* shown if the contract fails */
		return;
	serial_write(text, size_bytes < sizeof(text) ? size_bytes : sizeof(text) - 1);
}

void kmain(const struct boot_info *info)
{
	trap_init();
	serial_init();
	say_start(info);
	find_features();
	make_page_tables(info);
	say_ranges(&info->ranges);
	find_tables(info);
	start_apic();
	start_memory(info);
	start_interrupts();
	start_cpus();
	bool sound = selftest_run();

	mm_log("selftest: %s", sound ? "passed" : "FAILED");
	mm_log("boot: %lu ticks of the TSC from entry, %lu of them waiting for hardware",
		read_tsc() - info->entry_tsc, timer_waited());
	if (!sound)
		machine_exit(MACHINE_FAILED);
	console_main(info->cmdline);
}
