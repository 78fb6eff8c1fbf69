/*
 * What the kernel is told by whichever loader started it. Filled by boot/efi.c or boot/pvh.c,
 * read-only afterwards; every fact is copied, so that the loader's own memory may be reused.
 */
#ifndef BOOT_INFO_H
#define BOOT_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dolmen/maps.h>

#define BOOT_MAX_RANGES	   2048
#define BOOT_CMDLINE_BYTES 4096

struct boot_info {
	const char *loader;
	struct mem_ranges ranges;	  /* as firmware said, then the image */
	uint64_t rsdp_phys;		  /* 0: none */
	uint64_t image_phys, image_bytes; /* runs at this address, too: virtual is physical */
	/*
	 * Memory that not even the loader's page tables are in, which are in use until the kernel
	 * has its own; 0: all is.
	 */
	uint64_t free_phys, free_bytes;
	uint64_t entry_tsc;
	char cmdline[BOOT_CMDLINE_BYTES]; /* ASCII, no space at either end */
};

/* The one boot_info, and what both loaders put into it. */
extern struct boot_info boot_info;

/* Takes a range out of the usable memory. */
void boot_reserve(uint64_t start_bytes, uint64_t size_bytes);

/*
 * Appends to the command line, a space between; other than printable ASCII becomes a space. False
 * if it was cut.
 */
bool boot_add_cmdline(const char *text, size_t max_bytes);

/* Common last steps (image range, fw_cfg), then kmain() on the boot stack, never to return. */
void boot_finish(void) __attribute__((noreturn));

/*
 * kernel/main.c. Interrupts off, on the boot stack, memory mapped one to one at least below 4 GiB.
 */
void kmain(const struct boot_info *info) __attribute__((noreturn));

#endif
