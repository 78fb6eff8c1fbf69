/*
 * A CPU: the port's part of its per-CPU area, its features, and the tables that the machine wants
 * of each.
 *
 * GS base points at struct cpu. The boot CPU starts with a static one and moves into its area when
 * dolmen_init() has made the areas; the other CPUs find theirs there. Fields are written by the CPU
 * itself unless they say otherwise.
 */
#ifndef ARCH_CPU_H
#define ARCH_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include <dolmen/port.h>
#include "kernel/fault.h"

#define SELECTOR_CODE 0x08
#define SELECTOR_DATA 0x10
#define SELECTOR_TSS  0x18
#define NR_GDT	      5 /* null, code, data, and two for the TSS */

/* Stacks that the CPU switches to by itself, numbered as in the IDT. */
enum ist { IST_NONE, IST_DOUBLE_FAULT, IST_NMI, IST_MACHINE_CHECK, NR_IST };

struct tss {
	uint32_t reserved0;
	uint64_t rsp[3];
	uint64_t reserved1;
	uint64_t ist[7]; /* [0] is IST 1 */
	uint64_t reserved2;
	uint16_t reserved3, io_map;
} __attribute__((packed));

_Static_assert(sizeof(struct tss) == 104, "as the CPU reads it");

/* One function for a CPU to run; kernel/smp.c says who writes what when. */
struct cpu_slot {
	uint32_t held;
	uint32_t asker;
	void (*fn)(void *);
	void *arg;
};

/* Where fault_probe() continues after a fault; rsp 0: no probe is running. */
struct cpu_probe {
	uint64_t rsp;
	struct fault_seen seen;
};

struct cpu {
	struct cpu *self; /* PORT_GS_SELF */
	uint64_t library; /* see <dolmen/port.h> */
	uint32_t id;	  /* PORT_GS_CPU */
	uint32_t apic_id;
	uint64_t stack_top; /* boot/trampoline.asm reads it here */
	struct cpu_stacks *stacks;
	uint32_t online; /* set by the CPU once, release; read by others, acquire */
	uint32_t timer_hz;
	uint64_t nr_ticks;
	struct cpu_slot work;	   /* run in the work loop */
	struct cpu_slot interrupt; /* run in the VECTOR_CALL handler */
	struct cpu_probe probe;
	uint64_t gdt[NR_GDT];
	struct tss tss;
};

_Static_assert(offsetof(struct cpu, self) == PORT_GS_SELF, "port_this_percpu()");
_Static_assert(offsetof(struct cpu, id) == PORT_GS_CPU, "port_cpu()");
_Static_assert(offsetof(struct cpu, stack_top) == 24, "boot/trampoline.asm");
_Static_assert(sizeof(struct cpu) <= PORT_PERCPU_RESERVED, "fits the port's part of the area");

/* The struct of each CPU, by dense id; NULL until port_set_percpu(). */
extern struct cpu *cpu_table[DOLMEN_MAX_CPUS];

static inline struct cpu *this_cpu(void)
{
	return port_this_percpu();
}

/*
 * The stacks of one CPU. The guards are never mapped: running off the end of a stack faults, on a
 * stack of its own.
 */
#define STACK_IST_BYTES	 8192
#define STACK_MAIN_BYTES 16384

struct cpu_stacks {
	char guard0[PAGE_SIZE], double_fault[STACK_IST_BYTES];
	char guard1[PAGE_SIZE], nmi[STACK_IST_BYTES];
	char guard2[PAGE_SIZE], machine_check[STACK_IST_BYTES];
	char guard3[PAGE_SIZE], main[STACK_MAIN_BYTES];
} __attribute__((aligned(4096)));

extern struct cpu_stacks boot_stacks;

/* True, with the stack's name, if the address is in one of this CPU's guard pages. */
const char *cpu_stack_guard_hit(const struct cpu *cpu, uint64_t address);

struct cpu_features {
	bool cx16, nx, page_1g, smep, x2apic, lapic, invariant_tsc;
	unsigned phys_bits;
	char name[49]; /* CPUID's brand string */
};
extern struct cpu_features cpu_features;

/* Reads CPUID on the boot CPU. */
void cpu_read_features(void);

/* Control registers of this CPU as the kernel wants them, before its tables are loaded. */
void cpu_enable_features(void);

/* This CPU's GDT, TSS and GS base, from its struct cpu and its stacks. Interrupts off. */
void cpu_load_tables(struct cpu *cpu);

/* The boot CPU's first struct cpu and stacks; trap_init() loads them. */
void cpu_init_boot(void);

/* Physical id by the best leaf that CPUID has: 32 bits where the CPU has them. */
uint32_t cpu_read_apic_id(void);

/* By how many bits to shift APIC ids so that CPUs of one last-level cache are alike; 0: unknown. */
unsigned cpu_read_llc_shift(void);

#endif
