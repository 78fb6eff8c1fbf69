/*
 * The serial line, and the end of QEMU: what every kernel of test/embed has.
 */
#ifndef EMBED_SERIAL_H
#define EMBED_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint8_t in8(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline void out8(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

/* To COM1, as soon as it takes each byte. */
static inline void serial_write(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		while (!(in8(0x3fd) & 0x20))
			__builtin_ia32_pause();
		out8(0x3f8, (uint8_t)text[i]);
	}
}

/* QEMU ends with twice the value plus 1: see tools/watch. */
static inline __attribute__((noreturn)) void end_qemu(bool success)
{
	out8(0xf4, success ? 16 : 17);
	for (;;)
		__asm__ volatile("cli; hlt");
}

#endif
