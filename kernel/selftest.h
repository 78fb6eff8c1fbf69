/*
 * A look at the allocator on every CPU before anyone uses it: well under a second.
 */
#ifndef KERNEL_SELFTEST_H
#define KERNEL_SELFTEST_H

#include <stdbool.h>

/*
 * On the boot CPU, interrupts on, all CPUs started. False, with a line for each thing found, if
 * something is wrong.
 */
bool selftest_run(void);

#endif
