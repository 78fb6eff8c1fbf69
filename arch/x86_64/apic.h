/*
 * The local APIC of the calling CPU, through memory or, where the CPU has x2APIC, through MSRs.
 */
#ifndef ARCH_APIC_H
#define ARCH_APIC_H

#include <stdbool.h>
#include <stdint.h>

/* Finds and enables the boot CPU's. False: there is none, hence one CPU and no timer. */
bool apic_init(void);

/* Enables the calling CPU's in the same mode. `boot_cpu` also takes the 8259's interrupts. */
void apic_enable(bool boot_cpu);

bool apic_present(void);
bool apic_is_x2apic(void);

void apic_end_of_interrupt(void);

/* Waits, bounded, until the one before has left. Any context. */
void apic_send(uint32_t apic_id, uint8_t vector);
void apic_send_nmi_others(void);
void apic_send_init(uint32_t apic_id);
void apic_send_init_others(void);
void apic_send_startup(uint32_t apic_id, uint8_t page);

/* The timer counts down from `count`, at its bus rate / 16; periodic ones interrupt. 0 stops it. */
void apic_timer_set(uint32_t count, bool periodic);
uint32_t apic_timer_left(void);

#endif
