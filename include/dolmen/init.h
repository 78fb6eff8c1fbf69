/*
 * Start-up: the host tells the library once what the machine has.
 */
#ifndef DOLMEN_INIT_H
#define DOLMEN_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dolmen/names.h>
#include <dolmen/range.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes `size_bytes` bytes at `phys` readable for good; NULL if it cannot. */
typedef const void *acpi_map(uint64_t phys, size_t size_bytes);

/* Memory of one node. */
struct node_memory {
	uint64_t start_bytes;
	uint64_t size_bytes;
	uint32_t nid;
};

/* Nodes 0 to nr_nodes - 1 as the host knows them, from tables of its own or made up. */
struct dolmen_nodes {
	unsigned nr_nodes;
	const struct node_memory *memory; /* in any order */
	unsigned nr_memory;
	const uint8_t *cpu_nodes; /* cpu_nodes[cpu]; or NULL: all on the first with memory */
	const uint8_t *distances; /* [from * nr_nodes + to], 10 from a node to itself, 11 to 255
				     to others; or NULL: 10 and 20 */
};

/*
 * What the host says of its machine. Zeroed fields say nothing, and all but the ranges may. Nodes
 * come from the first that is there of: `nodes`, `srat`, the tables behind `rsdp_phys`; otherwise,
 * or if that one breaks a rule, all is one node. Nothing is kept; what is pointed to may be reused.
 */
struct dolmen_init {
	const struct mem_range *ranges; /* usable and reserved, raw */
	unsigned nr_ranges;
	unsigned nr_cpus;	  /* 0 is 1 */
	const uint32_t *apic_ids; /* apic_ids[cpu], cpu dense, [0] the boot CPU; or NULL: unknown */
	unsigned llc_shift; /* CPUs alike in apic_id >> this share a last-level cache; 0: unknown */
	const struct dolmen_nodes *nodes;
	const void *srat; /* bytes of the table, anywhere readable */
	size_t srat_bytes;
	const void *slit; /* or NULL: distances 10 and 20 */
	size_t slit_bytes;
	uint64_t rsdp_phys; /* with `map`, which is asked for whatever lies there, mapped or not */
	acpi_map *map;
	uint64_t max_phys; /* what dolmen_add_range() will bring ends here; 0: where ranges end */
	bool panic_on_report; /* a wrong free ends the host instead of one line */
};

/*
 * Builds ranges, nodes, memmap, page allocator, slab caches and the per-CPU areas of all CPUs. On
 * the boot CPU, once, before others run. False, with a line that says why, only if no usable memory
 * is left after trimming.
 */
bool dolmen_init(const struct dolmen_init *init);

/* On the CPU itself, before its first allocation; not needed for the boot CPU. */
void dolmen_cpu_online(unsigned cpu);

/*
 * Memory that came later: hot-plugged, or reserved at first, as what a loader leaves behind.
 * Nothing else uses it any more, and port_phys_to_virt() reaches it. It goes to node `nid`, with
 * NUMA_NO_NODE to the one that the tables name for its first byte; if that one had no memory at
 * boot, to the nearest to it that had. Each aligned 16 MiB that had no memory at all cost 256 KiB
 * of the range for struct pages. Memory already given, memory past dolmen_init.max_phys, and less
 * than it costs are refused with a line. Returns how many pages became free, 0 if refused. One call
 * at a time, on any CPU, not in an interrupt; other CPUs may allocate and free. Linux: add_memory()
 * and online_pages().
 */
uint64_t dolmen_add_range(uint64_t start_bytes, uint64_t size_bytes, int nid);

/*
 * From the host's timer on each CPU, interrupts on or off, at any rate (1 to 1000 a second): trims
 * what idle caches hold.
 */
void dolmen_tick(void);

/*
 * Gives back every empty slab of every cache, those held by CPUs too; pages given back. Any context
 * but NMI; afterwards, if nobody allocates, only slabs with live objects are left. With interrupts
 * off other CPUs keep their sheaves.
 */
size_t dolmen_drain_all(void);

/*
 * Exact checks for all caches, those to come too: no sheaves, so that every wrong free is found at
 * the free itself, at about four times the cost. A change sets each cache's limits of sheaves and
 * barns back to none, or to what they were at first. Interrupts on. Returns what it was before.
 */
bool dolmen_exact(bool on);

/*
 * The next `skip` page allocations go on as usual, the `count` after them fail as if no memory were
 * left, then the switch turns itself off. UINT64_MAX: for ever; count 0: off. Counted over all
 * CPUs. To test a host's own behaviour when memory is short. Any context.
 */
void dolmen_fail_pages(uint64_t skip, uint64_t count);

/* Where every usable byte went. usable == managed + metadata + reserved, all in pages. */
struct dolmen_memory {
	uint64_t usable;   /* whole usable pages after normalising */
	uint64_t managed;  /* handed to the page allocator */
	uint64_t metadata; /* memmap, section table, per-CPU areas, other boot allocations */
	uint64_t reserved; /* usable, but given to no one: no node, past a limit */
	uint64_t memmap;   /* of metadata, the struct pages alone */
	uint64_t free;	   /* of managed, free now (page caches included) */
};
void dolmen_memory(struct dolmen_memory *out);

#ifdef __cplusplus
}
#endif

#endif
