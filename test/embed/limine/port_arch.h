/*
 * The port of a kernel that Limine starts: the direct map lies where the loader says.
 */
#ifndef EMBED_PORT_ARCH_H
#define EMBED_PORT_ARCH_H

#include <stdint.h>

extern uint64_t hhdm_offset;
#define PORT_DIRECT_BASE hhdm_offset

static inline unsigned port_cpu(void)
{
	unsigned number;

	__asm__ volatile("movl %%gs:0, %0" : "=r"(number));
	return number;
}
#define port_cpu port_cpu

#endif
