/*
 * Start: physical memory as one mapping, and the calling thread as CPU 0.
 *
 * What the library will find usable is accessible, and nothing else, so that a stray access faults.
 */
#include "arch/hosted/hosted.h"

#include <cpuid.h>
#include <sys/mman.h>

#include "mm/range.h"

#define ALIGN (1ul << 30) /* the direct map keeps at least the low 22 bits */

char *hosted_base;

static void reserve(uint64_t size_bytes)
{
	char *all = mmap(NULL, size_bytes + ALIGN, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (all == MAP_FAILED)
		hosted_die("cannot reserve %lu bytes of address space", size_bytes);
	hosted_base = (char *)(((uintptr_t)all + ALIGN - 1) & ~(ALIGN - 1));
}

void hosted_map(uint64_t start_bytes, uint64_t size_bytes)
{
	if (mprotect(hosted_base + start_bytes, size_bytes, PROT_READ | PROT_WRITE))
		hosted_die("cannot map %lu bytes of memory", size_bytes);
}

static void map_memory(const struct dolmen_init *init)
{
	static struct pfn_range usable[DOLMEN_MAX_RANGES];
	struct range_result result;
	uint64_t end = init->max_phys < HOSTED_MAX_PHYS ? init->max_phys : HOSTED_MAX_PHYS;

	range_normalise(init->ranges, init->nr_ranges, usable, DOLMEN_MAX_RANGES, &result);
	while (result.nr_ranges &&
		usable[result.nr_ranges - 1].end_pfn > HOSTED_MAX_PHYS >> PAGE_SHIFT)
		result.nr_ranges--;
	if (result.nr_ranges && end < usable[result.nr_ranges - 1].end_pfn << PAGE_SHIFT)
		end = usable[result.nr_ranges - 1].end_pfn << PAGE_SHIFT;
	reserve(end);
	for (unsigned i = 0; i < result.nr_ranges; i++) {
		uint64_t start = usable[i].start_pfn << PAGE_SHIFT;

		hosted_map(start, (usable[i].end_pfn << PAGE_SHIFT) - start);
	}
}

bool hosted_start(const struct dolmen_init *init)
{
	unsigned a, b, c = 0, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_CMPXCHG16B))
		hosted_cas16 = false;
	map_memory(init);
	hosted_boot_cpu();
	return dolmen_init(init);
}

bool hosted_start_shape(const struct hosted_shape *shape)
{
	struct dolmen_init init;

	hosted_machine(shape, &init);
	return hosted_start(&init);
}
