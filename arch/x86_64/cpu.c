/*
 * Features, control registers, GDT and TSS: see cpu.h.
 *
 * Firmware may have left anything in the control registers, so each bit that the kernel stands on
 * is set here, on every CPU. Ring 3 is never entered, so there are no user segments and GS base is
 * never swapped.
 */
#include "arch/x86_64/cpu.h"

#include "arch/x86_64/io.h"
#include "arch/x86_64/trap.h"
#include "lib/string.h"

#define MSR_EFER    0xc0000080
#define MSR_GS_BASE 0xc0000101

#define EFER_NXE (1ul << 11)
#define CR0_MP	 (1ul << 1)
#define CR0_EM	 (1ul << 2)
#define CR0_TS	 (1ul << 3)
#define CR0_NE	 (1ul << 5)
#define CR0_WP	 (1ul << 16)
#define CR0_AM	 (1ul << 18)
#define CR0_NW	 (1ul << 29)
#define CR0_CD	 (1ul << 30)
#define CR4_PGE	 (1ul << 7)
#define CR4_SMEP (1ul << 20)

#define GDT_CODE 0x00af9a000000fffful
#define GDT_DATA 0x00cf92000000fffful
#define GDT_TSS	 0x0000890000000000ul /* available 64-bit TSS, byte limit */

struct cpu_features cpu_features;
struct cpu *cpu_table[DOLMEN_MAX_CPUS];

/* The boot CPU's, until its area exists. */
static struct cpu boot_cpu;

/* Its stacks stay; boot/enter.asm starts at their end. */
struct cpu_stacks boot_stacks;
_Static_assert(sizeof(boot_stacks) == 0xe000, "boot/enter.asm and boot/pvh_entry.asm");

struct descriptor_register {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));

void cpu_read_features(void)
{
	struct cpuid basic = read_cpuid(1, 0), more = read_cpuid(7, 0);
	struct cpuid extended = read_cpuid(0x80000001, 0);
	struct cpu_features *f = &cpu_features;

	f->cx16 = basic.ecx >> 13 & 1;
	f->x2apic = basic.ecx >> 21 & 1;
	f->lapic = basic.edx >> 9 & 1;
	f->smep = more.ebx >> 7 & 1;
	f->nx = extended.edx >> 20 & 1;
	f->page_1g = extended.edx >> 26 & 1;
	f->invariant_tsc = read_cpuid(0x80000007, 0).edx >> 8 & 1;
	f->phys_bits = read_cpuid(0x80000008, 0).eax & 0xff;
	if (f->phys_bits < 36 || f->phys_bits > 52)
		f->phys_bits = 36;
	for (uint32_t i = 0; i < 3; i++) {
		struct cpuid part = read_cpuid(0x80000002 + i, 0);

		memcpy(f->name + 16 * i, &part, 16);
	}
}

void cpu_enable_features(void)
{
	uint64_t cr4 = read_cr4() | CR4_PGE;

	if (cpu_features.smep)
		cr4 |= CR4_SMEP;
	write_cr4(cr4);
	if (cpu_features.nx)
		write_msr(MSR_EFER, read_msr(MSR_EFER) | EFER_NXE);
	write_cr0((read_cr0() & ~(CR0_EM | CR0_TS | CR0_AM | CR0_NW | CR0_CD)) | CR0_MP | CR0_NE |
		  CR0_WP);
}

static void set_tss(struct cpu *cpu)
{
	uint64_t base = (uintptr_t)&cpu->tss;
	struct cpu_stacks *stacks = cpu->stacks;

	memset(&cpu->tss, 0, sizeof(cpu->tss));
	cpu->tss.ist[IST_DOUBLE_FAULT - 1] = (uintptr_t)stacks->double_fault + STACK_IST_BYTES;
	cpu->tss.ist[IST_NMI - 1] = (uintptr_t)stacks->nmi + STACK_IST_BYTES;
	cpu->tss.ist[IST_MACHINE_CHECK - 1] = (uintptr_t)stacks->machine_check + STACK_IST_BYTES;
	cpu->tss.io_map = sizeof(cpu->tss);
	cpu->gdt[SELECTOR_TSS / 8] = GDT_TSS | (sizeof(cpu->tss) - 1) | (base & 0xffffff) << 16 |
				     (base >> 24 & 0xff) << 56;
	cpu->gdt[SELECTOR_TSS / 8 + 1] = base >> 32;
}

void cpu_load_tables(struct cpu *cpu)
{
	struct descriptor_register gdtr = {sizeof(cpu->gdt) - 1, (uintptr_t)cpu->gdt};

	cpu->self = cpu;
	cpu->gdt[0] = 0;
	cpu->gdt[SELECTOR_CODE / 8] = GDT_CODE;
	cpu->gdt[SELECTOR_DATA / 8] = GDT_DATA;
	set_tss(cpu);
	__asm__ volatile(
		"lgdt %0\n\t"
		"pushq %1\n\t"
		"leaq 1f(%%rip), %%rax\n\t"
		"pushq %%rax\n\t"
		"lretq\n"
		"1:\tmovl %2, %%ds\n\t"
		"movl %2, %%es\n\t"
		"movl %2, %%ss\n\t"
		"movl %3, %%fs\n\t"
		"movl %3, %%gs\n\t"
		"ltr %w4"
		:
		: "m"(gdtr), "i"(SELECTOR_CODE), "r"(SELECTOR_DATA), "r"(0), "r"(SELECTOR_TSS)
		: "rax", "memory");
	write_msr(MSR_GS_BASE, (uintptr_t)cpu);
}

uint32_t cpu_read_apic_id(void)
{
	struct cpuid topology = read_cpuid(0xb, 0);

	return topology.ebx & 0xffff ? topology.edx : read_cpuid(1, 0).ebx >> 24;
}

/* The caches of this CPU, smallest first, are the subleaves of leaf 4; with AMD of another. */
unsigned cpu_read_llc_shift(void)
{
	bool amd = read_cpuid(0x80000001, 0).ecx >> 22 & 1;
	uint32_t leaf = amd ? 0x8000001d : 4, nr_sharing = 0;
	struct cpuid cache;

	for (uint32_t i = 0; i < 16 && (cache = read_cpuid(leaf, i)).eax & 0x1f; i++)
		nr_sharing = (cache.eax >> 14 & 0xfff) + 1;
	return nr_sharing > 1 ? 32u - (unsigned)__builtin_clz(nr_sharing - 1) : 0;
}

void cpu_init_boot(void)
{
	boot_cpu.stacks = &boot_stacks;
	boot_cpu.stack_top = (uintptr_t)boot_stacks.main + STACK_MAIN_BYTES;
	boot_cpu.apic_id = cpu_read_apic_id();
	boot_cpu.online = 1;
	cpu_table[0] = &boot_cpu;
	cpu_load_tables(&boot_cpu);
}

void port_set_percpu(unsigned cpu, void *area)
{
	struct cpu *new = area;

	if (cpu == 0) {
		unsigned long flags = port_irq_save();

		memcpy(new, cpu_table[0], sizeof(*new));
		cpu_load_tables(new);
		cpu_table[0] = new;
		port_irq_restore(flags);
		return;
	}
	new->self = new;
	new->id = cpu;
	cpu_table[cpu] = new;
}

const char *cpu_stack_guard_hit(const struct cpu *cpu, uint64_t address)
{
	const struct cpu_stacks *stacks = cpu->stacks;
	const struct {
		const char *guard, *name;
	} guards[] = {
		{stacks->guard0, "double fault stack"},
		{stacks->guard1, "NMI stack"},
		{stacks->guard2, "machine check stack"},
		{stacks->guard3, "stack"},
	};

	for (unsigned i = 0; i < sizeof(guards) / sizeof(guards[0]); i++)
		if (address - (uintptr_t)guards[i].guard < PAGE_SIZE)
			return guards[i].name;
	return NULL;
}
