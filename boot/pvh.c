/*
 * PVH: the start info that QEMU (or Xen) hands over, read and copied. Its memory map has the e820's types. All of it lies
 * below 4 GiB, which boot/pvh_entry.asm has mapped; what claims to lie elsewhere is not followed.
 */
#include "boot/boot_info.h"

#include "arch/x86_64/io.h"

#define START_MAGIC  0x336ec578u
#define MAPPED_BYTES (1ull << 32)
#define E820_RAM     1

struct hvm_start_info {
	uint32_t magic, version, flags, nr_modules;
	uint64_t modlist_phys, cmdline_phys, rsdp_phys;
	uint64_t memmap_phys; /* from version 1 on */
	uint32_t memmap_entries, reserved;
};

struct hvm_memmap_entry {
	uint64_t start_bytes, size_bytes;
	uint32_t type, reserved;
};

_Static_assert(sizeof(struct hvm_memmap_entry) == 24, "as the ABI has it");

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

	const struct hvm_memmap_entry *map = (const void *)start->memmap_phys;
	uint64_t map_bytes = (uint64_t)start->memmap_entries * sizeof(*map);

	if (start->version >= 1 && mapped(start->memmap_phys, map_bytes))
		for (uint32_t i = 0; i < start->memmap_entries; i++)
			boot_add_range(map[i].start_bytes, map[i].size_bytes,
				map[i].type == E820_RAM ? MEM_USABLE : MEM_RESERVED);
	boot_finish();
}
