/*
 * Exceptions: the report that ends the machine, the probe that survives one, and ways to cause one
 * on purpose.
 */
#ifndef KERNEL_FAULT_H
#define KERNEL_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trap_frame;

/* Reports the exception, stops the other CPUs and ends the machine as faulted. Any context. */
void fault_report(struct trap_frame *frame) __attribute__((noreturn));

struct fault_seen {
	unsigned vector;
	uint64_t error;
	uint64_t rip;
	uint64_t address; /* CR2; of page and double faults */
};

/*
 * Runs fn(arg). True if it faulted: then it was abandoned where it stood, and *seen says how. Not
 * nested.
 */
bool fault_probe(void (*fn)(void *), void *arg, struct fault_seen *seen);

/*
 * Causes a fault for good: "gp" (a misaligned cmpxchg16b), "page" (an unmapped address), "null"
 * (page 0), "stack" (runs into the guard page), "text" (a write to code), "exec" (a call into
 * data), "panic" (port_panic); with "@3" behind it on CPU 3. False if there is no such fault or
 * CPU.
 */
bool fault_inject(const char *what);

/*
 * Prints the call chain from a frame pointer on, with symbols; every read is checked against the
 * page tables.
 */
void fault_backtrace(uint64_t rip, uint64_t rbp);

/* "name+0x12" of an address in the image's code, else "?"; returns buf. */
const char *fault_symbol(char *buf, size_t size_bytes, uint64_t address);

#endif
