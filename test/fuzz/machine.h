/*
 * A machine of one thread: arch/hosted's memory, and CPUs that the thread is one after the other.
 * It lives as long as the program; each run leaves it as it found it.
 */
#ifndef TEST_FUZZ_MACHINE_H
#define TEST_FUZZ_MACHINE_H

#include "arch/hosted/hosted.h"

#define MACHINE_CPUS 4

/* Boots it. Of the arguments --no-cx16 and --verbose (log lines to stderr) are its own. */
void machine_boot(int argc, char **argv);

/* Wrong frees that the library has reported so far, by slab and page allocator together. */
unsigned machine_reports(void);

#endif
