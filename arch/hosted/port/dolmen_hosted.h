/*
 * Dolmen inside a Linux program: what libdolmen.a offers besides <dolmen/...>.
 *
 * The program defines port_log() and port_panic() of <dolmen/port.h>, calls one of the two start
 * functions once, on the thread that becomes CPU 0, and hosted_enter() on each other thread that
 * uses the library:
 *
 *	struct hosted_shape shape = {.nr_cpus = 2, .nr_nodes = 1, .size_bytes = 64 << 20};
 *	hosted_start_shape(&shape);
 *	kfree(kmalloc(100, GFP_KERNEL));
 *
 * SIGUSR1 is the interrupt of these CPUs, and is not the program's own.
 */
#ifndef DOLMEN_HOSTED_H
#define DOLMEN_HOSTED_H

#include <dolmen/init.h>

#define HOSTED_MAX_PHYS (1ul << 46) /* what the host's address space has room for */

struct hosted_shape {
	unsigned nr_cpus;
	unsigned nr_nodes;   /* with memory; CPUs are dealt over them in blocks */
	bool memoryless;     /* one more node, with the last CPU and without memory */
	bool cpuless;	     /* the last of nr_nodes has no CPU */
	unsigned nr_sharing; /* CPUs that share a last-level cache, 1 or 2; 0: all of a node */
	uint64_t size_bytes; /* of all memory */
};

/*
 * dolmen_init() on a machine of that shape. The layout has a bit of everything, see shape.c. Ends
 * the program if the host refuses the memory; false as dolmen_init() says.
 */
bool hosted_start_shape(const struct hosted_shape *shape);

/*
 * The same on the machine that `init` describes: memory map, APIC ids, and the bytes of SRAT and
 * SLIT if there are any. Its physical addresses below HOSTED_MAX_PHYS become memory of this
 * program, at port_phys_to_virt(); usable memory above them must be what the library finds too far
 * away to use.
 */
bool hosted_start(const struct dolmen_init *init);

/* Before dolmen_add_range(): makes memory up to dolmen_init.max_phys, whole pages, accessible. */
void hosted_map(uint64_t start_bytes, uint64_t size_bytes);

/*
 * The calling thread is CPU `cpu` from here on, 1 or more, which no other thread may be at the same
 * time. What the CPU holds when its thread ends is there for the thread that enters as it next.
 */
void hosted_enter(unsigned cpu);

#endif
