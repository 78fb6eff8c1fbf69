/*
 * (b) A UEFI application that keeps boot services: the firmware gives the library pages, goes on
 * using all others, and gets them back in the end. One CPU, the firmware's timer and events.
 */
#include <efi.h>

#include <dolmen/init.h>
#include <dolmen/port.h>

#include "lib/memory.h"
#include "test/port_check.h"
#include "test/embed/serial.h"

#define LENT_PAGES	(96ul << 20 >> PAGE_SHIFT) /* of each of two places */
#define LOW_BYTES	(255ul << 20)		   /* where the first ends */
#define STORM_PERIOD_NS 100000
#define MAP_LIMIT	(1ul << 32)

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static EFI_BOOT_SERVICES *boot;

/* ---- the port's functions ---- */

void port_log(const char *line)
{
	port_check_log(line);
}

void port_panic(const char *line)
{
	port_check_log(line);
	end_qemu(false);
}

/* ---- interrupts: events, which the firmware's timer interrupt signals between any two
 * instructions ---- */

struct call {
	void (*fn)(void *);
	void *arg;
};

static void (*storm)(void);
static EFI_EVENT storm_event;

static void EFIAPI on_timer(EFI_EVENT event, void *unused)
{
	(void)event;
	(void)unused;
	if (storm)
		storm();
}

void port_check_storm(void (*fn)(void))
{
	if (!storm_event)
		boot->CreateEvent(
			EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_NOTIFY, on_timer, NULL, &storm_event);
	storm = fn;
	boot->SetTimer(storm_event, fn ? TimerPeriodic : TimerCancel, STORM_PERIOD_NS / 100);
}

static void EFIAPI on_call(EFI_EVENT event, void *arg)
{
	const struct call *call = arg;
	unsigned long flags = port_irq_save();

	(void)event;
	call->fn(call->arg);
	port_irq_restore(flags);
}

void port_check_interrupt(unsigned cpu, void (*fn)(void *), void *arg)
{
	struct call call = {fn, arg};
	EFI_EVENT event;

	(void)cpu;
	boot->CreateEvent(EVT_NOTIFY_SIGNAL, TPL_NOTIFY, on_call, &call, &event);
	boot->SignalEvent(event);
	boot->CloseEvent(event);
}

/* ---- one CPU, a serial line ---- */

void port_check_write(const char *text, size_t length)
{
	serial_write(text, length);
}

unsigned port_check_nr_cpus(void)
{
	return 1;
}

void port_check_start_on(unsigned cpu, void (*fn)(void *), void *arg)
{
	(void)cpu;
	fn(arg);
}

void port_check_wait_for(unsigned cpu)
{
	(void)cpu;
}

/* ---- pages from the firmware ---- */

/* All memory is mapped one to one while boot services live. */
static const void *map(uint64_t phys, size_t size_bytes)
{
	return phys + size_bytes <= MAP_LIMIT ? (const void *)phys : NULL;
}

static uint64_t find_rsdp(const EFI_SYSTEM_TABLE *system)
{
	static const EFI_GUID acpi_2 = ACPI_20_TABLE_GUID;

	for (UINTN i = 0; i < system->NumberOfTableEntries; i++)
		if (!memcmp(&system->ConfigurationTable[i].VendorGuid, &acpi_2, sizeof(acpi_2)))
			return (uint64_t)system->ConfigurationTable[i].VendorTable;
	return 0;
}

static bool lend(struct mem_range *range, EFI_ALLOCATE_TYPE how, EFI_PHYSICAL_ADDRESS at)
{
	if (EFI_ERROR(boot->AllocatePages(how, EfiLoaderData, LENT_PAGES, &at)))
		return false;
	*range = (struct mem_range){at, LENT_PAGES << PAGE_SHIFT, MEM_USABLE};
	return true;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	static struct mem_range ranges[2];
	bool good;

	(void)image;
	boot = system->BootServices;
	boot->SetWatchdogTimer(0, 0, 0, NULL);
	if (!lend(&ranges[0], AllocateMaxAddress, LOW_BYTES) ||
		!lend(&ranges[1], AllocateAnyPages, 0))
		return EFI_OUT_OF_RESOURCES;
	good = dolmen_init(&(struct dolmen_init){.ranges = ranges,
		       .nr_ranges = 2,
		       .rsdp_phys = find_rsdp(system),
		       .map = map}) &&
	       port_check();
	for (unsigned i = 0; i < 2; i++)
		good &= !EFI_ERROR(boot->FreePages(ranges[i].start_bytes, LENT_PAGES));
	end_qemu(good);
}
