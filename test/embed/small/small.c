#include "test/embed/small/small.h"

#include "test/embed/serial.h"

#define VECTOR_TIMER	0x40
#define VECTOR_CALL	0x41
#define VECTOR_WAKE	0x42
#define VECTOR_SPURIOUS 0xff

#define APIC		0xfee00000ul
#define APIC_ID		0x020
#define APIC_EOI	0x0b0
#define APIC_SPURIOUS	0x0f0
#define APIC_COMMAND	0x300
#define APIC_TARGET	0x310
#define APIC_TIMER	0x320
#define APIC_COUNT	0x380
#define APIC_DIVIDE	0x3e0
#define COMMAND_PENDING (1u << 12)
#define TO_ALL_OTHERS	(3u << 18)
#define INIT		0x4500u
#define STARTUP		0x4600u

#define COM1		  0x3f8
#define IRQ_STACK_BYTES	  0x8000
#define SELECTOR_CODE	  8
#define SELECTOR_TSS	  24
#define MSR_GS_BASE	  0xc0000101u
#define LEAST_TIMER_TICKS 20000u

extern const char small_trampoline[], small_trampoline_end[];
void small_first_cpu(unsigned number, const void *info);
void small_other_cpu(unsigned number);

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
	return (volatile uint32_t *)(APIC + reg);
}

static void apic_send(uint32_t apic_id, uint32_t command)
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
	__asm__ volatile("lgdt %0; lidt %1; ltr %w2"
			 :
			 : "m"(gdtr), "m"(idtr), "r"(SELECTOR_TSS)
			 : "memory");
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
	apic_send(cpus[cpu].apic_id, vector);
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

static uint32_t bytes_of(const uint8_t *table, unsigned offset)
{
	uint32_t value;

	__builtin_memcpy(&value, table + offset, sizeof(value));
	return value;
}

const void *small_find_table(const void *rsdp, const char *name)
{
	const uint8_t *root = rsdp ? (const uint8_t *)(uint64_t)bytes_of(rsdp, 16) : NULL;

	for (uint32_t at = 36; root && at + 4 <= bytes_of(root, 4); at += 4) {
		const uint8_t *table = (const uint8_t *)(uint64_t)bytes_of(root, at);

		if (!__builtin_memcmp(table, name, 4))
			return table;
	}
	return NULL;
}

/* Enabled local APICs of a MADT. */
static unsigned count_cpus(const uint8_t *madt)
{
	unsigned nr = 0;

	for (uint32_t at = 44; madt && at + 8 <= bytes_of(madt, 4) && madt[at + 1];
		at += madt[at + 1])
		nr += madt[at] == 0 && (bytes_of(madt, at + 4) & 1);
	return nr < 1 ? 1 : nr > SMALL_MAX_CPUS ? SMALL_MAX_CPUS : nr;
}

unsigned small_start_cpus(const void *madt, uint32_t apic_ids[SMALL_MAX_CPUS])
{
	unsigned nr = count_cpus(madt);

	__builtin_memcpy((void *)SMALL_TRAMPOLINE, small_trampoline,
		(size_t)(small_trampoline_end - small_trampoline));
	if (nr > 1) {
		apic_send(0, INIT | TO_ALL_OTHERS);
		for (unsigned n = 0; n < 10000; n++) /* a microsecond each */
			in8(0x80);
		apic_send(0, STARTUP | TO_ALL_OTHERS | SMALL_TRAMPOLINE >> 12);
	}
	while (__atomic_load_n(&nr_ready, __ATOMIC_ACQUIRE) < nr)
		__builtin_ia32_pause();
	for (unsigned cpu = 0; cpu < nr; cpu++)
		apic_ids[cpu] = cpus[cpu].apic_id;
	return nr;
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
