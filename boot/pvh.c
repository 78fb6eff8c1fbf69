/*
 * PVH: the start info that QEMU (or Xen) hands over, read and copied. Its memory map has the e820's
 * types. All of it lies below 4 GiB, which boot/pvh_entry.asm has mapped; what claims to lie
 * elsewhere is not followed.
 */
#include "boot/boot_info.h"

#include "arch/x86_64/io.h"

#define START_MAGIC  0x336ec578u
#define MAPPED_BYTES (1ull << 32)
#define ENTRY_BYTES  24

struct hvm_start_info {
	uint32_t magic, version, flags, nr_modules;
	uint64_t modlist_phys, cmdline_phys, rsdp_phys;
	uint64_t memmap_phys; /* from version 1 on */
	uint32_t memmap_entries, reserved;
};

/* Called by boot/pvh_entry.asm on the boot stack. */
void pvh_main(const struct hvm_start_info *start) __attribute__((noreturn));

static bool mapped(uint64_t phys, uint64_t size_bytes)
{
	return phys && phys < MAPPED_BYTES && size_bytes <= MAPPED_BYTES - phys;
}

void pvh_main(const struct hvm_start_info *start)
{
	boot_info.entry_tsc = read_tsc();
	boot_info.loader = "PVH";
	if (start->magic != START_MAGIC)
		boot_finish();
	boot_info.rsdp_phys = start->rsdp_phys;
	if (start->cmdline_phys && mapped(start->cmdline_phys, BOOT_CMDLINE_BYTES))
		boot_add_cmdline((const char *)start->cmdline_phys, BOOT_CMDLINE_BYTES);

	uint32_t nr_entries = start->memmap_entries;

	if (start->version >= 1 && mapped(start->memmap_phys, (uint64_t)nr_entries * ENTRY_BYTES))
		dolmen_ranges_e820(&boot_info.ranges, (const void *)start->memmap_phys, nr_entries,
			ENTRY_BYTES);
	boot_finish();
}
