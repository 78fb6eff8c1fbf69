/*
 * The first 16550 (0x3f8, 115200 8N1). Without one, output is dropped and input never comes; no
 * wait is unbounded. Any context, faults and NMIs too: the lock that keeps the lines of CPUs apart
 * is broken after a bound.
 */
#ifndef ARCH_SERIAL_H
#define ARCH_SERIAL_H

#include <stdbool.h>
#include <stddef.h>

/* Once, on the boot CPU, first of all. True if a UART answered. */
bool serial_init(void);

/* The bytes as they stand, \n as \r\n, in one piece against other CPUs. */
void serial_write(const char *text, size_t size_bytes);

/* For the last report: whoever holds the lock is stopped, so from now on it is this CPU's. */
void serial_take_over(void);

/* The next byte that came in, or -1. One reader. */
int serial_read(void);

/* The next byte, slept for in hlt: the UART's interrupt or the timer wakes. Interrupts on. */
int serial_wait(void);

/*
 * Moves what the UART has received into the input buffer; from the UART's interrupt and the boot
 * CPU's timer.
 */
void serial_receive(void);

/* From now on the UART interrupts on received bytes. */
void serial_enable_interrupt(void);

#endif
