/*
 * The port of a kernel that maps memory one to one and finds its CPU by a segment base: two
 * definitions.
 */
#ifndef EMBED_PORT_ARCH_H
#define EMBED_PORT_ARCH_H

#define PORT_DIRECT_BASE 0

static inline unsigned port_cpu(void)
{
	unsigned number;

	__asm__ volatile("movl %%gs:0, %0" : "=r"(number));
	return number;
}
#define port_cpu port_cpu

#endif
