/*
 * The kernel's own page tables, one set for all CPUs. Address space:
 *
 *	0 + physical		the image where it was loaded, page by page with its rights; the
 *				trampoline while CPUs start; nothing else, so page 0 faults
 *	0xffff800000000000	the direct map: usable memory but the image, writable, no code
 *	0xffffc00000000000	windows on firmware tables and devices
 *	0xffffd00000000000	stacks of all CPUs but the boot CPU, with guard pages between
 *
 * Only the boot CPU changes the tables, and only from not present to present (but for the
 * trampoline), so no other CPU's TLB is ever wrong.
 */
#ifndef ARCH_PAGING_H
#define ARCH_PAGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct boot_info;
struct cpu_stacks;

enum map_flags {
	MAP_WRITE = 1,
	MAP_EXEC = 2,
	MAP_DEVICE = 4, /* uncached */
};

/*
 * What the kernel took from usable memory before there was an allocator: its page tables and, below
 * 1 MiB, the page of the trampoline (0: none found). To be reserved before memory is handed out.
 */
struct paging_taken {
	uint64_t tables_phys, tables_bytes;
	uint64_t trampoline_phys;
	uint64_t direct_bytes; /* in the direct map */
	unsigned nr_large;     /* entries of 2 MiB or 1 GiB in it */
};

/* Builds the tables and switches the boot CPU to them. False, with a line: no memory for them. */
bool paging_init(const struct boot_info *info, struct paging_taken *taken);

/* Switches a CPU that comes up to them; their root lies below 4 GiB. */
uint64_t paging_root(void);

/* A window on physical memory, for good. NULL if the range is absurd or there is no room. */
void *paging_map(uint64_t phys, size_t size_bytes, unsigned flags);

/*
 * The trampoline's page at its own address, executable, or gone again. False: no memory for a
 * table.
 */
bool paging_trampoline(uint64_t phys, bool present);

/* Stacks for a CPU, of pages near memory node `nid`. NULL: out of memory. After dolmen_init(). */
struct cpu_stacks *paging_new_stacks(unsigned cpu, int nid);

/* True if the byte can be read. By walking the tables, so that a report never faults. */
bool paging_is_mapped(uint64_t virt);

#endif
