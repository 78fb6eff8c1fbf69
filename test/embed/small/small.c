#include "test/embed/small/small.h"

#include "test/embed/serial.h"

#define VECTOR_TIMER	0x40
#define VECTOR_CALL	0x41
#define VECTOR_WAKE	0x42
#define VECTOR_SPURIOUS 0xff

#define APIC_ID		0x020
#define APIC_EOI	0x0b0
#define APIC_SPURIOUS	0x0f0
#define APIC_COMMAND	0x300
#define APIC_TARGET	0x310
#define APIC_TIMER	0x320
#define APIC_COUNT	0x380
#define APIC_DIVIDE	0x3e0
#define COMMAND_PENDING (1u << 12)

#define COM1		  0x3f8
#define IRQ_STACK_BYTES	  0x8000
#define SELECTOR_CODE	  8
#define SELECTOR_DATA	  16
#define SELECTOR_TSS	  24
#define MSR_GS_BASE	  0xc0000101u
#define LEAST_TIMER_TICKS 20000u

struct gate {
	uint16_t offset_0, selector;
	uint8_t ist, type;
	uint16_t offset_16;
	uint32_t offset_32, reserved;
};

struct tss {
	uint32_t reserved_0;
	uint64_t rsp[3], reserved_1, ist[7], reserved_2;
	uint16_t reserved_3, io_map;
} __attribute__((packed));

struct slot {
	uint32_t held;
	void (*fn)(void *); /* NULL: done */
	void *arg;
};

struct cpu {
	uint32_t number; /* first: %gs:0 */
	uint32_t apic_id, random;
	struct slot work, interrupt;
	void (*timer)(void);
	uint64_t gdt[5];
	struct tss tss;
	_Alignas(16) char irq_stack[IRQ_STACK_BYTES];
};

uint8_t *small_apic = (uint8_t *)0xfee00000;
unsigned small_nr_cpus = 1;

static struct cpu cpus[SMALL_MAX_CPUS];
static struct gate idt[256];
static uint32_t nr_ready;

/* ---- machine ---- */

static bool irq_off(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
	return flags & 0x200;
}

static void irq_restore(bool on)
{
	if (on)
		__asm__ volatile("sti" : : : "memory");
}

static volatile uint32_t *apic(unsigned reg)
{
	return (volatile uint32_t *)(small_apic + reg);
}

void small_send(uint32_t apic_id, uint32_t command)
{
	/* The two registers are one step: an interrupt that sends must not land between them. */
	bool on = irq_off();

	*apic(APIC_TARGET) = apic_id << 24;
	*apic(APIC_COMMAND) = command;
	while (*apic(APIC_COMMAND) & COMMAND_PENDING)
		__builtin_ia32_pause();
	irq_restore(on);
}

void small_write(const char *text, size_t length)
{
	static uint32_t busy;
	bool on = irq_off();

	while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
	serial_write(text, length);
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	irq_restore(on);
}

void small_exit(bool success)
{
	end_qemu(success);
}

/* ---- interrupts ---- */

struct interrupt_frame;

static __attribute__((interrupt)) void fault(struct interrupt_frame *frame)
{
	static const char text[] = "small: a fault\n";

	(void)frame;
	small_write(text, sizeof(text) - 1);
	small_exit(false);
}

static struct cpu *this_cpu(void)
{
	return &cpus[small_cpu()];
}

static void arm_timer(struct cpu *cpu)
{
	cpu->random = cpu->random * 1664525 + 1013904223;
	*apic(APIC_COUNT) = cpu->timer ? LEAST_TIMER_TICKS + (cpu->random >> 16) : 0;
}

static __attribute__((interrupt)) void on_timer(struct interrupt_frame *frame)
{
	struct cpu *cpu = this_cpu();

	(void)frame;
	if (cpu->timer)
		cpu->timer();
	*apic(APIC_EOI) = 0;
	arm_timer(cpu);
}

static void run(struct slot *slot)
{
	void (*fn)(void *) = __atomic_load_n(&slot->fn, __ATOMIC_ACQUIRE);

	if (!fn)
		return;
	fn(slot->arg);
	__atomic_store_n(&slot->fn, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->held, 0, __ATOMIC_RELEASE);
}

static __attribute__((interrupt)) void on_call(struct interrupt_frame *frame)
{
	(void)frame;
	run(&this_cpu()->interrupt);
	*apic(APIC_EOI) = 0;
}

static __attribute__((interrupt)) void on_wake(struct interrupt_frame *frame)
{
	(void)frame;
	*apic(APIC_EOI) = 0;
}

static __attribute__((interrupt)) void on_spurious(struct interrupt_frame *frame)
{
	(void)frame;
}

/* Interrupts take the stack of IST 1, so that they do not write below anybody's stack pointer. */
static void set_gate(unsigned vector, void (*handler)(struct interrupt_frame *), uint8_t ist)
{
	uint64_t offset = (uint64_t)handler;

	idt[vector] = (struct gate){.offset_0 = (uint16_t)offset,
		.selector = SELECTOR_CODE,
		.ist = ist,
		.type = 0x8e,
		.offset_16 = (uint16_t)(offset >> 16),
		.offset_32 = (uint32_t)(offset >> 32)};
}

static void load_tables(struct cpu *cpu)
{
	uint64_t tss = (uint64_t)&cpu->tss;
	struct {
		uint16_t limit;
		uint64_t base;
	} __attribute__((packed)) gdtr = {sizeof(cpu->gdt) - 1, (uint64_t)cpu->gdt},
				  idtr = {sizeof(idt) - 1, (uint64_t)idt};

	cpu->tss.ist[0] = (uint64_t)cpu->irq_stack + IRQ_STACK_BYTES;
	cpu->tss.io_map = sizeof(cpu->tss);
	cpu->gdt[1] = 0x00af9a000000ffff;
	cpu->gdt[2] = 0x00cf92000000ffff;
	cpu->gdt[3] = 0x0000890000000000 | (sizeof(cpu->tss) - 1) | (tss & 0xffffff) << 16 |
		      (tss >> 24 & 0xff) << 56;
	cpu->gdt[4] = tss >> 32;
	/* Whoever started this CPU had selectors of its own, which interrupts would return to. */
	__asm__ volatile(
		"lgdt %0; lidt %1; ltr %w2\n\t"
		"movl %3, %%ds; movl %3, %%es; movl %3, %%ss\n\t"
		"pushq %4; leaq 1f(%%rip), %%rax; pushq %%rax; lretq\n1:"
		:
		: "m"(gdtr), "m"(idtr), "r"(SELECTOR_TSS), "r"(SELECTOR_DATA), "i"(SELECTOR_CODE)
		: "rax", "memory");
	__asm__ volatile("wrmsr"
			 :
			 : "c"(MSR_GS_BASE), "a"((uint32_t)(uint64_t)cpu),
			 "d"((uint32_t)((uint64_t)cpu >> 32)));
}

static void come_up(unsigned number)
{
	struct cpu *cpu = &cpus[number];

	load_tables(cpu);
	cpu->number = number;
	cpu->random = number;
	cpu->apic_id = *apic(APIC_ID) >> 24;
	*apic(APIC_SPURIOUS) = 0x100 | VECTOR_SPURIOUS;
	*apic(APIC_DIVIDE) = 0xb; /* by 1 */
	*apic(APIC_TIMER) = VECTOR_TIMER;
	__atomic_fetch_add(&nr_ready, 1, __ATOMIC_RELEASE);
}

void small_timer(void (*fn)(void))
{
	bool on = irq_off();

	this_cpu()->timer = fn;
	arm_timer(this_cpu());
	irq_restore(on);
}

/* ---- CPUs ---- */

static void ask(unsigned cpu, struct slot *slot, uint8_t vector, void (*fn)(void *), void *arg)
{
	while (__atomic_exchange_n(&slot->held, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
	slot->arg = arg;
	__atomic_store_n(&slot->fn, fn, __ATOMIC_RELEASE);
	small_send(cpus[cpu].apic_id, vector);
}

void small_start_work(unsigned cpu, void (*fn)(void *), void *arg)
{
	ask(cpu, &cpus[cpu].work, VECTOR_WAKE, fn, arg);
}

void small_wait_work(unsigned cpu)
{
	while (__atomic_load_n(&cpus[cpu].work.fn, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

void small_interrupt(unsigned cpu, void (*fn)(void *), void *arg)
{
	ask(cpu, &cpus[cpu].interrupt, VECTOR_CALL, fn, arg);
	while (__atomic_load_n(&cpus[cpu].interrupt.fn, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

void small_other_cpu(unsigned number)
{
	struct cpu *cpu = &cpus[number];

	come_up(number);
	for (;;) {
		__asm__ volatile("cli" : : : "memory");
		if (!__atomic_load_n(&cpu->work.fn, __ATOMIC_ACQUIRE)) {
			__asm__ volatile("sti; hlt" : : : "memory");
			continue;
		}
		__asm__ volatile("sti" : : : "memory");
		run(&cpu->work);
	}
}

void small_wait_for_cpus(unsigned nr, uint32_t apic_ids[SMALL_MAX_CPUS])
{
	while (__atomic_load_n(&nr_ready, __ATOMIC_ACQUIRE) < nr)
		__builtin_ia32_pause();
	for (unsigned cpu = 0; cpu < nr; cpu++)
		apic_ids[cpu] = cpus[cpu].apic_id;
	small_nr_cpus = nr;
}

void small_first_cpu(unsigned number, const void *info)
{
	for (unsigned vector = 0; vector < 32; vector++)
		set_gate(vector, fault, 0);
	set_gate(VECTOR_TIMER, on_timer, 1);
	set_gate(VECTOR_CALL, on_call, 1);
	set_gate(VECTOR_WAKE, on_wake, 1);
	set_gate(VECTOR_SPURIOUS, on_spurious, 1);
	out8(0x21, 0xff); /* the old interrupt controllers say nothing */
	out8(0xa1, 0xff);
	out8(COM1 + 3, 0x03); /* 8 bits, no parity */
	come_up(number);
	__asm__ volatile("sti");
	small_exit(small_main(info));
}
