/*
 * UEFI: gnu-efi's start code has relocated the image and calls efi_main() with the SysV ABI.
 * Everything is copied while boot services live; then the memory map is taken and ExitBootServices
 * called, with a fresh map as often as its key is refused. From the first attempt on no service but
 * these two may be called, so the map's buffer has room to spare.
 *
 * The image stays where the firmware put it: the kernel's tables map it there, one to one.
 */
#include <efi.h>

#include "boot/boot_info.h"

#include "arch/x86_64/io.h"
#include "lib/string.h"

#define MAP_BYTES     (256 * 1024) /* 5000 descriptors; real machines have hundreds */
#define EXIT_ATTEMPTS 16

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static uint8_t map_bytes[MAP_BYTES] __attribute__((aligned(16)));

/* LoadOptions: UTF-16, if it is text at all. A UEFI shell puts the program's name first. */
static void copy_cmdline(EFI_BOOT_SERVICES *boot, EFI_HANDLE image)
{
	static EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
	static char text[BOOT_CMDLINE_BYTES];
	EFI_LOADED_IMAGE *loaded = NULL;
	size_t used = 0;

	if (EFI_ERROR(boot->HandleProtocol(image, &guid, (void **)&loaded)) || !loaded ||
		!loaded->LoadOptions)
		return;
	const CHAR16 *options = loaded->LoadOptions;
	size_t nr_chars = loaded->LoadOptionsSize / sizeof(CHAR16);

	for (size_t i = 0; i < nr_chars && options[i] && used < sizeof(text) - 1; i++) {
		if (options[i] < ' ' || options[i] > '~')
			return; /* a boot entry's private data, not words for us */
		text[used++] = (char)options[i];
	}
	const char *start = text, *space = strchr(text, ' ');
	size_t first = space ? (size_t)(space - text) : used;

	if (first >= 4 && (strncmp(text + first - 4, ".efi", 4) == 0 ||
				  strncmp(text + first - 4, ".EFI", 4) == 0))
		start = text + first;
	boot_add_cmdline(start, sizeof(text) - (size_t)(start - text));
}

static void copy_rsdp(const EFI_SYSTEM_TABLE *system)
{
	static const EFI_GUID acpi_2 = ACPI_20_TABLE_GUID, acpi_1 = ACPI_TABLE_GUID;

	for (UINTN i = 0; i < system->NumberOfTableEntries; i++) {
		const EFI_CONFIGURATION_TABLE *table = &system->ConfigurationTable[i];
		uint64_t phys = (uintptr_t)table->VendorTable;

		if (memcmp(&table->VendorGuid, &acpi_2, sizeof(acpi_2)) == 0)
			boot_info.rsdp_phys = phys;
		else if (memcmp(&table->VendorGuid, &acpi_1, sizeof(acpi_1)) == 0 &&
			 !boot_info.rsdp_phys)
			boot_info.rsdp_phys = phys;
	}
}

/*
 * The largest conventional memory below 4 GiB. What boot services leave behind is usable, too, but
 * the page tables that the CPU still uses are in it.
 */
static void find_free(UINTN size_bytes, UINTN descriptor_bytes)
{
	if (descriptor_bytes < sizeof(EFI_MEMORY_DESCRIPTOR))
		return;
	for (UINTN at = 0; at + descriptor_bytes <= size_bytes; at += descriptor_bytes) {
		const EFI_MEMORY_DESCRIPTOR *d = (const void *)(map_bytes + at);
		uint64_t end = d->PhysicalStart + (d->NumberOfPages << 12);

		if (d->Type == EfiConventionalMemory && end <= 1ull << 32 &&
			d->NumberOfPages << 12 > boot_info.free_bytes) {
			boot_info.free_phys = d->PhysicalStart;
			boot_info.free_bytes = d->NumberOfPages << 12;
		}
	}
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	EFI_BOOT_SERVICES *boot = system->BootServices;

	boot_info.entry_tsc = read_tsc();
	boot_info.loader = "UEFI";
	copy_cmdline(boot, image);
	copy_rsdp(system);
	for (unsigned attempt = 0; attempt < EXIT_ATTEMPTS; attempt++) {
		UINTN size_bytes = sizeof(map_bytes), key, descriptor_bytes;
		UINT32 version;
		EFI_STATUS status = boot->GetMemoryMap(&size_bytes,
			(EFI_MEMORY_DESCRIPTOR *)map_bytes, &key, &descriptor_bytes, &version);

		if (EFI_ERROR(status))
			return status;
		status = boot->ExitBootServices(image, key);
		if (EFI_ERROR(status))
			continue;
		dolmen_ranges_efi(&boot_info.ranges, map_bytes, size_bytes, descriptor_bytes,
			MEM_LOADER_GONE);
		find_free(size_bytes, descriptor_bytes);
		boot_finish();
	}
	return EFI_ABORTED;
}
