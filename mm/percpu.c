/*
 * Per-CPU areas: one map for all of them, a bit for each granule of 16 bytes, first fit.
 *
 * The map says what is taken in every area at once, so an object is found at the same offset on
 * each CPU. First fit over 64 words is slow next to a bump pointer, but caches are made seldom, and
 * what is freed is merged for nothing.
 *
 * The lock is innermost: nothing else is taken under it.
 */
#include "mm/percpu.h"

#include "lib/memory.h"
#include "mm/lock.h"
#include "mm/log.h"
#include "mm/numa.h"

#define GRANULE	    16u
#define NR_GRANULES (DOLMEN_PERCPU_BYTES / GRANULE)
#define FIRST_FREE  (PERCPU_FIRST / GRANULE)

_Static_assert(NR_GRANULES % 64 == 0, "the map is whole words");
_Static_assert(DOLMEN_PERCPU_BYTES % PAGE_SIZE == 0, "an area is whole pages");

char *percpu_areas[DOLMEN_MAX_CPUS];
bool cpu_has_cas16;

struct port_stack closed_stack; /* count and maximum 0 */

static struct spinlock map_lock;
static uint64_t map[NR_GRANULES / 64]; /* bit set: taken; under map_lock */
static unsigned nr_areas;

static bool is_taken(unsigned granule)
{
	return port_load(&map[granule / 64]) >> granule % 64 & 1;
}

static void set_taken(unsigned granule, unsigned nr_granules, bool taken)
{
	for (unsigned i = granule; i < granule + nr_granules; i++) {
		uint64_t word = port_load(&map[i / 64]), bit = 1ul << i % 64;

		port_store(&map[i / 64], taken ? word | bit : word & ~bit);
	}
}

/* The first run of free granules that fits, or 0. */
static unsigned find_run(unsigned nr_granules, unsigned align)
{
	unsigned start = (FIRST_FREE + align - 1) & ~(align - 1);

	while (start + nr_granules <= NR_GRANULES) {
		unsigned end = start;

		while (end < start + nr_granules && !is_taken(end))
			end++;
		if (end == start + nr_granules)
			return start;
		start = (end + align) & ~(align - 1);
	}
	return 0;
}

uint32_t percpu_alloc(size_t size_bytes, size_t align_bytes)
{
	if (!size_bytes || size_bytes > DOLMEN_PERCPU_BYTES || align_bytes > PAGE_SIZE)
		return 0;

	unsigned nr_granules = (unsigned)((size_bytes + GRANULE - 1) / GRANULE);
	unsigned align = align_bytes > GRANULE ? (unsigned)(align_bytes / GRANULE) : 1;
	unsigned long flags = spin_lock_irqsave(&map_lock);
	unsigned granule = find_run(nr_granules, align);

	if (granule)
		set_taken(granule, nr_granules, true);
	spin_unlock_irqrestore(&map_lock, flags);

	for (unsigned cpu = 0; granule && cpu < nr_areas; cpu++)
		memset(percpu_ptr(granule * GRANULE, cpu), 0, (size_t)nr_granules * GRANULE);
	return granule * GRANULE;
}

void percpu_free(uint32_t offset, size_t size_bytes)
{
	unsigned nr_granules = (unsigned)((size_bytes + GRANULE - 1) / GRANULE);
	unsigned long flags = spin_lock_irqsave(&map_lock);

	set_taken(offset / GRANULE, nr_granules, false);
	spin_unlock_irqrestore(&map_lock, flags);
}

static void set_percpu(unsigned cpu, void *area)
{
#ifdef PORT_FINDS_PERCPU
	(void)cpu, (void)area;
#else
	port_set_percpu(cpu, area);
#endif
}

bool percpu_init(unsigned nr_cpus)
{
	cpu_has_cas16 = port_cpuid_cas16();
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		char *area = numa_boot_alloc(DOLMEN_PERCPU_BYTES, cpu_to_mem(cpu), true);

		if (!area) {
			mm_log("percpu: no memory for the area of CPU %u", cpu);
			return false;
		}
		port_store(&percpu_areas[cpu], area);
		set_percpu(cpu, area);
		port_store(&((struct port_area *)area)->pa_home, (uint16_t)PORT_NO_HOME);
	}
	nr_areas = nr_cpus;
	return true;
}
