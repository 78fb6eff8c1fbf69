/*
 * A small kernel as its author has it before linking Dolmen: CPUs in long mode, a serial line,
 * interrupts on a stack of their own, a timer. It knows nothing of memory, and nothing of Dolmen.
 * start.asm and cpus.c start it from multiboot2, the first 4 GiB mapped one to one.
 */
#ifndef SMALL_H
#define SMALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMALL_MAX_CPUS	 16	/* as in start.asm */
#define SMALL_TRAMPOLINE 0x8000 /* physical page that starting CPUs run through */

/* What the kernel is: called on the first CPU, interrupts on. `info`: multiboot2's. */
bool small_main(const void *info);

void small_write(const char *text, size_t length);
void small_exit(bool success) __attribute__((noreturn));

/* An ACPI table of this name, or NULL. `rsdp`: the structure itself. All mapped one to one. */
const void *small_find_table(const void *rsdp, const char *name);

/*
 * Starts every CPU of the MADT (NULL: none but this one), which then waits for work; their number.
 * CPU n has apic_ids[n].
 */
unsigned small_start_cpus(const void *madt, uint32_t apic_ids[SMALL_MAX_CPUS]);

extern unsigned small_nr_cpus;

/* ---- for whoever starts the CPUs ---- */

/* What each CPU calls with a number of its own, the first one with 0. They do not return. */
void small_first_cpu(unsigned number, const void *info);
void small_other_cpu(unsigned number);

/* Where the registers of the local APIC are mapped, if not at their physical address. */
extern uint8_t *small_apic;

/* Returns when `nr` CPUs came up; from then on there are so many. */
void small_wait_for_cpus(unsigned nr, uint32_t apic_ids[SMALL_MAX_CPUS]);

/* The word for the APIC's command register, and whom to. */
void small_send(uint32_t apic_id, uint32_t command);

/* ---- what runs on them ---- */

/* The number of this CPU, from %gs:0. */
static inline unsigned small_cpu(void)
{
	unsigned number;

	__asm__ volatile("movl %%gs:0, %0" : "=r"(number));
	return number;
}

/* fn(arg) on another CPU; in an interrupt on any, wherever it is, to the end. */
void small_start_work(unsigned cpu, void (*fn)(void *), void *arg);
void small_wait_work(unsigned cpu);
void small_interrupt(unsigned cpu, void (*fn)(void *), void *arg);

/*
 * From now on fn() is called on this CPU from timer interrupts, at intervals that differ; NULL: no
 * more.
 */
void small_timer(void (*fn)(void));

#ifdef __cplusplus
}
#endif

#endif
