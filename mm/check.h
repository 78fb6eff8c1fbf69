/*
 * Reports of wrong frees.
 */
#ifndef MM_CHECK_H
#define MM_CHECK_H

#include <dolmen/port.h>

#include "lib/names.h"

/* Registers the reports. Before the first free. */
void check_init(void);

/* Wrong frees reported since boot. */
uint64_t check_reports(void);

#endif
