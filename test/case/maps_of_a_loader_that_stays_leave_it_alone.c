#include "test/contract.h"

#include <dolmen/maps.h>
#include "lib/memory.h"

static bool usable_at(const struct mem_ranges *ranges, uint64_t at)
{
	bool usable = false;

	for (unsigned i = 0; i < ranges->nr; i++) {
		if (at - ranges->range[i].start_bytes >= ranges->range[i].size_bytes)
			continue;
		if (ranges->range[i].kind != MEM_USABLE)
			return false;
		usable = true;
	}
	return usable;
}

CONTRACT("what the loader still needs is usable only after it is gone; modules never are",
	"multiboot2's boot information is given out while it is read")
{
	static const uint64_t limine[][3] = {
		{0x1000, 0x1000, 0}, {0x2000, 0x1000, 5}, {0x3000, 0x1000, 6}};
	static const void *const entries[] = {limine[0], limine[1], limine[2]};
	struct {
		uint32_t info_bytes, reserved;
		uint32_t map[4]; /* type, size, bytes of an entry, version */
		uint64_t entry[3];
		uint32_t module[6]; /* type, size, first byte, byte after the last, name */
		uint32_t broken[4]; /* a module that ends before it begins */
		uint32_t efi_map[4];
		uint64_t descriptor[5];	  /* boot services data */
		uint32_t efi_services[2]; /* which firmware still has; or 0: not told */
		uint32_t end[2];
	} multiboot2 = {
		.info_bytes = sizeof(multiboot2),
		.map = {6, 40, 24, 0},
		.entry = {0x1000, 0xf000, 1},
		.module = {3, 20, 0x3000, 0x4000, 'm', 0},
		.broken = {3, 16, 0x5000, 0},
		.efi_map = {17, 56, 40, 1},
		.descriptor = {4, 0x6000, 0, 1, 8},
		.end = {0, 8},
	};

	for (unsigned phase = MEM_LOADER_STAYS; phase <= MEM_LOADER_GONE; phase++) {
		struct mem_range range[5];
		struct mem_ranges ranges = {.range = range, .max = 5};

		dolmen_ranges_limine(&ranges, entries, 3, phase);
		CHECK(usable_at(&ranges, 0x1000), "Limine: usable memory");
		CHECK(usable_at(&ranges, 0x2000) == (phase == MEM_LOADER_GONE), "%u", phase);
		CHECK(!usable_at(&ranges, 0x3000), "Limine: a module is given out");

		ranges.nr = 0;
		dolmen_ranges_multiboot2(&ranges, &multiboot2, 0x2100, phase);
		CHECK(usable_at(&ranges, 0x1000), "multiboot2: available memory");
		CHECK(usable_at(&ranges, 0x2100) == (phase == MEM_LOADER_GONE), "%u", phase);
		CHECK(!usable_at(&ranges, 0x3fff), "multiboot2: a module is given out");
		CHECK(usable_at(&ranges, 0x4000) && usable_at(&ranges, 0x5000), "too much is kept");
		CHECK(usable_at(&ranges, 0x6000) == (phase == MEM_LOADER_GONE), "%u", phase);
		CHECK(ranges.nr_invalid == 1, "%u invalid", ranges.nr_invalid);

		memcpy(multiboot2.efi_services, (uint32_t[]){18, 8}, 8);
		ranges.nr = 0;
		dolmen_ranges_multiboot2(&ranges, &multiboot2, 0x2100, phase);
		CHECK(!usable_at(&ranges, 0x6000), "boot services are given out");
		memcpy(multiboot2.efi_services, (uint32_t[]){0, 8}, 8);
	}
}
