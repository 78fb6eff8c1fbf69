/*
 * The port for the bare machine: x86_64, ring 0, GS base at this CPU's per-CPU area.
 *
 * The area's first word is its own address, so that one load gives it; the port's part of it is
 * struct cpu (arch/x86_64/cpu.h), whose first fields this header knows by offset.
 */
#ifndef PORT_ARCH_H
#define PORT_ARCH_H

#define PORT_PERCPU_RESERVED 512

/*
 * Where the direct map starts and what it can hold: 64 TiB, aligned far beyond the low 22 bits that
 * it keeps. Addresses below it (the image, NULL, user-like ones) come out physical at 128 TiB and
 * above, those above it at 64 TiB and above, and no usable range reaches either: see
 * direct_map_build().
 */
#define PORT_DIRECT_BASE  0xffff800000000000ul
#define PORT_DIRECT_BYTES (1ul << 46)

#define PORT_GS_SELF 0 /* offsets into struct cpu */
#define PORT_GS_CPU  16

static inline unsigned port_cpu(void)
{
	unsigned cpu;

	__asm__ volatile("movl %%gs:%c1, %0" : "=r"(cpu) : "i"(PORT_GS_CPU));
	return cpu;
}
#define port_cpu port_cpu

static inline void *port_this_percpu(void)
{
	void *area;

	__asm__ volatile("movq %%gs:%c1, %0" : "=r"(area) : "i"(PORT_GS_SELF));
	return area;
}
#define port_this_percpu port_this_percpu

/*
 * By IPI; at once for the calling CPU, which is in no window while it is here. Defined in
 * kernel/smp.c.
 */
void port_window_fence(unsigned cpu);
#define port_window_fence port_window_fence

#ifdef DOLMEN_PAUSES
#include "port_pauses.h"
#elif !defined(DOLMEN_NO_WINDOWS)
#include "port_windows.h"
#endif

#endif
