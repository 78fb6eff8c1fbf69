/*
 * IDT and dispatch: see trap.h.
 *
 * Every gate is an interrupt gate: handlers run with interrupts off. Double fault, NMI and machine
 * check have stacks of their own, so that a report is possible whatever the interrupted stack is
 * like. The 8259s are moved out of the exceptions' vectors and closed but for the serial port's
 * line.
 */
#include "arch/x86_64/trap.h"

#include "arch/x86_64/apic.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/io.h"
#include "arch/x86_64/serial.h"
#include "arch/x86_64/smp.h"
#include "arch/x86_64/timer.h"

#define STUB_BYTES     16
#define GATE_INTERRUPT 0x8e

#define PIC1		0x20
#define PIC2		0xa0
#define PIC_INIT	0x11 /* edge, cascade, ICW4 follows */
#define PIC_8086	0x01
#define PIC_EOI		0x20
#define PIC_READ_ISR	0x0b
#define PIC_SERIAL_ONLY 0xef
#define PIC_CASCADE_BIT 0x04

struct gate {
	uint16_t offset_low, selector;
	uint8_t ist, type;
	uint16_t offset_mid;
	uint32_t offset_high, reserved;
};

_Static_assert(sizeof(struct gate) == 16, "as the CPU reads it");

void (*trap_debug_hook)(struct trap_frame *frame);

static struct gate idt[256];

extern const char trap_stubs[], trap_probe_resume[];

/* Each relative to its own address. */
extern const struct window {
	int32_t start, end;
} __start_dolmen_windows[], __stop_dolmen_windows[];

/* Called by trap_entry.asm. */
void trap_dispatch(struct trap_frame *frame);

void trap_load_idt(void)
{
	struct {
		uint16_t limit;
		uint64_t base;
	} __attribute__((packed)) idtr = {sizeof(idt) - 1, (uintptr_t)idt};

	__asm__ volatile("lidt %0" : : "m"(idtr));
}

static void set_gate(unsigned vector, enum ist ist)
{
	uint64_t entry = (uintptr_t)trap_stubs + vector * STUB_BYTES;

	idt[vector] = (struct gate){
		.offset_low = (uint16_t)entry,
		.selector = SELECTOR_CODE,
		.ist = (uint8_t)ist,
		.type = GATE_INTERRUPT,
		.offset_mid = (uint16_t)(entry >> 16),
		.offset_high = (uint32_t)(entry >> 32),
	};
}

static void pic_init(void)
{
	out8(PIC1, PIC_INIT);
	out8(PIC2, PIC_INIT);
	out8(PIC1 + 1, VECTOR_PIC);
	out8(PIC2 + 1, VECTOR_PIC + 8);
	out8(PIC1 + 1, PIC_CASCADE_BIT);
	out8(PIC2 + 1, 2);
	out8(PIC1 + 1, PIC_8086);
	out8(PIC2 + 1, PIC_8086);
	out8(PIC2 + 1, 0xff);
	out8(PIC1 + 1, PIC_SERIAL_ONLY);
}

void trap_init(void)
{
	cpu_init_boot();
	for (unsigned vector = 0; vector < 256; vector++)
		set_gate(vector, IST_NONE);
	set_gate(VECTOR_DOUBLE_FAULT, IST_DOUBLE_FAULT);
	set_gate(VECTOR_NMI, IST_NMI);
	set_gate(VECTOR_MACHINE_CHECK, IST_MACHINE_CHECK);
	trap_load_idt();
	pic_init();
}

/* A fault that fault_probe() waits for: continue behind the probed call. */
static bool resume_probe(struct trap_frame *frame)
{
	struct cpu_probe *probe = &this_cpu()->probe;

	if (!probe->rsp || frame->vector == VECTOR_NMI || frame->vector == VECTOR_MACHINE_CHECK)
		return false;
	probe->seen = (struct fault_seen){
		.vector = (unsigned)frame->vector,
		.error = frame->error,
		.rip = frame->rip,
		.address = read_cr2(),
	};
	frame->rip = (uintptr_t)trap_probe_resume;
	frame->rsp = probe->rsp;
	probe->rsp = 0;
	return true;
}

static void exception(struct trap_frame *frame)
{
	if (frame->vector == VECTOR_NMI && smp_stop_requested())
		smp_halt();
	if (frame->vector == VECTOR_DEBUG && port_load(&trap_debug_hook)) {
		port_load (&trap_debug_hook)(frame);
		return;
	}
	if (!resume_probe(frame))
		fault_report(frame);
}

/*
 * Lines 7 and 15 also fire for interrupts that went away; those want no acknowledgement of their
 * own.
 */
static void pic_interrupt(unsigned line)
{
	if (line == VECTOR_SERIAL - VECTOR_PIC)
		serial_receive();
	if (line == 7) {
		out8(PIC1, PIC_READ_ISR);
		if (!(in8(PIC1) & 0x80))
			return;
	}
	if (line >= 8)
		out8(PIC2, PIC_EOI);
	out8(PIC1, PIC_EOI);
}

/* See arch/x86_64/port/port_windows.h. */
void trap_restart_window(struct trap_frame *frame)
{
	for (const struct window *window = __start_dolmen_windows; window < __stop_dolmen_windows;
		window++) {
		uint64_t start = (uint64_t)&window->start + (uint64_t)window->start;
		uint64_t end = (uint64_t)&window->end + (uint64_t)window->end;

		if (frame->rip > start && frame->rip < end) {
			frame->rip = start;
			return;
		}
	}
}

void trap_dispatch(struct trap_frame *frame)
{
	unsigned vector = (unsigned)frame->vector;

	if (vector < NR_EXCEPTIONS) {
		exception(frame);
		return;
	}
	trap_restart_window(frame);
	if (vector < VECTOR_PIC + 16) {
		pic_interrupt(vector - VECTOR_PIC);
		return;
	}
	switch (vector) {
	case VECTOR_TIMER:
		timer_interrupt();
		break;
	case VECTOR_CALL:
		smp_call_interrupt();
		break;
	case VECTOR_WAKE:
		break;
	case VECTOR_SPURIOUS:
		return; /* wants no end-of-interrupt */
	default:
		fault_report(frame);
	}
	apic_end_of_interrupt();
}
