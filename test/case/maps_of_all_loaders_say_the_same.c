#include "test/contract.h"

#include <dolmen/maps.h>

CONTRACT("one machine's map gives the same ranges from a BIOS, UEFI, multiboot2 and Limine",
	"a loader's field is read at another offset")
{
	static const struct {
		uint64_t start_bytes, size_bytes;
		uint32_t e820_type, efi_type;
		uint64_t limine_type;
	} truth[] = {
		{0, 0x9f000, 1, 7, 0},
		{0x9f000, 0x61000, 2, 0, 1},
		{0x100000, 0x7ee00000, 1, 7, 0},
		{0x7ef00000, 0x80000, 3, 9, 2},
		{0x7ef80000, 0x80000, 4, 10, 3},
		{0x7f000000, 0x1000, 5, 8, 4},
		{0x100000000, 0x180000000, 1, 7, 0},
	};
	enum { NR = sizeof(truth) / sizeof(truth[0]) };
	struct __attribute__((packed)) {
		uint64_t start_bytes, size_bytes;
		uint32_t type;
	} bios[NR];
	struct {
		uint32_t type;
		uint64_t start_bytes, virt, nr_pages, attributes, more;
	} efi[NR];
	struct {
		uint32_t info_bytes, reserved, type, size_bytes, entry_bytes, version;
		struct {
			uint64_t start_bytes, size_bytes;
			uint32_t type, zero;
		} entries[NR];
		uint32_t end, end_bytes;
	} multiboot2 = {sizeof(multiboot2), 0, 6, 16 + 24 * NR, 24, 0, {}, 0, 8};
	struct {
		uint64_t start_bytes, size_bytes, type;
	} limine[NR];
	const void *limine_entries[NR];
	struct mem_range range[4][NR];
	struct mem_ranges ranges[4];

	for (unsigned i = 0; i < NR; i++) {
		uint64_t start = truth[i].start_bytes, size = truth[i].size_bytes;

		bios[i].start_bytes = multiboot2.entries[i].start_bytes = start;
		efi[i].start_bytes = limine[i].start_bytes = start;
		bios[i].size_bytes = multiboot2.entries[i].size_bytes = size;
		limine[i].size_bytes = size;
		efi[i].nr_pages = size / PAGE_SIZE;
		efi[i].attributes = 8;
		bios[i].type = multiboot2.entries[i].type = truth[i].e820_type;
		efi[i].type = truth[i].efi_type;
		limine[i].type = truth[i].limine_type;
		limine_entries[i] = &limine[i];
	}
	for (unsigned i = 0; i < 4; i++)
		ranges[i] = (struct mem_ranges){.range = range[i], .max = NR};
	dolmen_ranges_e820(&ranges[0], bios, NR, sizeof(bios[0]));
	dolmen_ranges_efi(&ranges[1], efi, sizeof(efi), sizeof(efi[0]), MEM_LOADER_STAYS);
	dolmen_ranges_multiboot2(&ranges[2], &multiboot2, 0, MEM_LOADER_GONE);
	dolmen_ranges_limine(&ranges[3], limine_entries, NR, MEM_LOADER_STAYS);
	for (unsigned i = 0; i < 4; i++) {
		CHECK(ranges[i].nr == NR && !ranges[i].nr_invalid && !ranges[i].nr_no_room,
			"map %u: %u ranges, %u invalid", i, ranges[i].nr, ranges[i].nr_invalid);
		for (unsigned r = 0; r < ranges[i].nr; r++)
			CHECK(range[i][r].start_bytes == truth[r].start_bytes &&
					range[i][r].size_bytes == truth[r].size_bytes &&
					range[i][r].kind == (truth[r].e820_type == 1),
				"map %u, range %u: %lx bytes at %lx, kind %u", i, r,
				range[i][r].size_bytes, range[i][r].start_bytes, range[i][r].kind);
	}
}
