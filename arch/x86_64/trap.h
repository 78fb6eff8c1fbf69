/*
 * Interrupts and exceptions: the frame that the entry stubs build, the vectors, and where each
 * goes.
 */
#ifndef ARCH_TRAP_H
#define ARCH_TRAP_H

#include <stdint.h>

/*
 * As arch/x86_64/trap_entry.asm pushes it, lowest address first; ends with what the CPU itself
 * pushes.
 */
struct trap_frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
	uint64_t rbp, rdi, rsi, rdx, rcx, rbx, rax;
	uint64_t vector, error;
	uint64_t rip, cs, rflags, rsp, ss;
};

enum vector {
	VECTOR_DEBUG = 1,
	VECTOR_NMI = 2,
	VECTOR_DOUBLE_FAULT = 8,
	VECTOR_PAGE_FAULT = 14,
	VECTOR_MACHINE_CHECK = 18,
	NR_EXCEPTIONS = 32,
	VECTOR_PIC = 0x20, /* 16 lines; only the serial port's is open */
	VECTOR_SERIAL = VECTOR_PIC + 4,
	VECTOR_TIMER = 0xe0,
	VECTOR_WAKE = 0xf0, /* does nothing but end a hlt */
	VECTOR_CALL = 0xf1, /* runs the function in this CPU's interrupt slot */
	VECTOR_SPURIOUS = 0xff,
};

#define RFLAGS_TF 0x100ul

/* The boot CPU's tables, before anything can fault. */
void trap_init(void);

/* Loads the shared IDT on this CPU. */
void trap_load_idt(void);

/*
 * Called for every debug exception while set, interrupts off; single steps end when it clears
 * RFLAGS_TF in the frame.
 */
extern void (*trap_debug_hook)(struct trap_frame *frame);

/*
 * Sends a thread that was inside a restartable window back to its start. In every
 * interrupt, and by a debug hook that allocated.
 */
void trap_restart_window(struct trap_frame *frame);

#endif
