/*
 * What both loaders share: collecting the facts, QEMU's fw_cfg command line, and the step into the
 * kernel.
 *
 * fw_cfg is looked for by its signature; each read is bounded by what the table may hold.
 */
#include "boot/boot_info.h"

#include "arch/x86_64/io.h"
#include "lib/string.h"

#define FW_CFG_SELECT	 0x510
#define FW_CFG_DATA	 0x511
#define FW_CFG_SIGNATURE 0x00
#define FW_CFG_DIRECTORY 0x19
#define FW_CFG_MAX_FILES 1024
#define FW_CFG_NAME	 "opt/dolmen/cmdline"

static struct mem_range ranges[BOOT_MAX_RANGES];
struct boot_info boot_info = {.ranges = {.range = ranges, .max = BOOT_MAX_RANGES}};

extern char image_start[], image_end[];

/* boot/enter.asm: takes the boot stack, then kmain(info). */
void boot_enter_kernel(const struct boot_info *info) __attribute__((noreturn));

void boot_reserve(uint64_t start_bytes, uint64_t size_bytes)
{
	dolmen_ranges_add(&boot_info.ranges, start_bytes, size_bytes, MEM_RESERVED);
}

bool boot_add_cmdline(const char *text, size_t max_bytes)
{
	char *line = boot_info.cmdline;
	size_t used = strlen(line), i = 0;

	if (used && used < BOOT_CMDLINE_BYTES - 1)
		line[used++] = ' ';
	size_t start = used;

	for (; i < max_bytes && text[i] && used < BOOT_CMDLINE_BYTES - 1; i++) {
		char c = text[i] > ' ' && text[i] <= '~' ? text[i] : ' ';

		if (c != ' ' || used > start)
			line[used++] = c;
	}
	while (used && line[used - 1] == ' ')
		used--;
	line[used] = '\0';
	return i == max_bytes || !text[i];
}

static void fw_cfg_read(void *to, size_t size_bytes)
{
	for (size_t i = 0; i < size_bytes; i++)
		((uint8_t *)to)[i] = in8(FW_CFG_DATA);
}

static void add_fw_cfg_cmdline(void)
{
	static char text[BOOT_CMDLINE_BYTES];
	struct {
		uint32_t size_be;
		uint16_t select_be, reserved;
		char name[56];
	} file;
	uint32_t nr_files_be;
	char signature[4];

	out16(FW_CFG_SELECT, FW_CFG_SIGNATURE);
	fw_cfg_read(signature, sizeof(signature));
	if (memcmp(signature, "QEMU", 4) != 0)
		return;
	out16(FW_CFG_SELECT, FW_CFG_DIRECTORY);
	fw_cfg_read(&nr_files_be, sizeof(nr_files_be));
	uint32_t nr_files = __builtin_bswap32(nr_files_be);

	for (uint32_t i = 0; i < nr_files && i < FW_CFG_MAX_FILES; i++) {
		fw_cfg_read(&file, sizeof(file));
		if (strncmp(file.name, FW_CFG_NAME, sizeof(file.name)) != 0)
			continue;
		uint32_t size_bytes = __builtin_bswap32(file.size_be);

		if (size_bytes > sizeof(text))
			size_bytes = sizeof(text);
		out16(FW_CFG_SELECT, __builtin_bswap16(file.select_be));
		fw_cfg_read(text, size_bytes);
		boot_add_cmdline(text, size_bytes);
		return;
	}
}

void boot_finish(void)
{
	boot_info.image_phys = (uintptr_t)image_start;
	boot_info.image_bytes = (uintptr_t)image_end - (uintptr_t)image_start;
	boot_reserve(boot_info.image_phys, boot_info.image_bytes);
	add_fw_cfg_cmdline();
	boot_enter_kernel(&boot_info);
}
