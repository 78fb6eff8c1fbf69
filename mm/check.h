/*
 * Reports of wrong frees.
 */
#ifndef MM_CHECK_H
#define MM_CHECK_H

#include <dolmen/names.h>
#include <dolmen/port.h>

/* Registers the reports; `stop_at_report`: each ends the host. Before the first free. */
void check_init(bool stop_at_report);

/* Wrong frees reported since boot. */
uint64_t check_reports(void);

#endif
