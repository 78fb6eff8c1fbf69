/*
 * Start order.
 */
#include "boot/boot_info.h"
#include <dolmen/port.h>
#include "arch/x86_64/serial.h"
#include "arch/x86_64/io.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/log.h"

bool cpu_has_cx16;
char boot_stack[65536] __attribute__((aligned(4096)));
extern char boot_stack_top[];
__asm__(".set boot_stack_top, boot_stack + 65536; .globl boot_stack_top");

void port_log(const char *line)
{
	serial_write(line, strlen(line));
	serial_write("\n", 1);
}

void kmain(const struct boot_info *info)
{
	static uint64_t early[64];
	early[0] = (uintptr_t)early;
	write_msr(0xc0000101, (uintptr_t)early);
	serial_init();
	mm_log("dolmen: %s image at %lx, %lu KiB, RSDP %lx, %u ranges, \"%s\"", info->loader,
		info->image_phys, info->image_bytes >> 10, info->rsdp_phys, info->nr_ranges,
		info->cmdline);
	for (unsigned i = 0; i < info->nr_ranges; i++)
		mm_log("%016lx %016lx %u", info->ranges[i].start_bytes, info->ranges[i].size_bytes,
			info->ranges[i].kind);
	mm_log("ready");
	out32(0xf4, 0x10);
	for (;;)
		__asm__ volatile("hlt");
}
