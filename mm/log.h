/*
 * One line for people, through the host's port_log(). Any context, also with any lock held: nothing
 * is allocated, and the line is built on the stack. Cut at 199 characters.
 */
#ifndef MM_LOG_H
#define MM_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/names.h"

/* printf-like as in lib/printf.h, without a newline. */
void mm_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A wrong call by the host, such as a double free: the same line, and port_panic() with it if the
 * host asked for that. After 1000 reports only those whose number is a power of two are shown, so
 * that a wrong free in a loop does not drown the console.
 */
void mm_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* dolmen_init.panic_on_report; written at boot only. */
extern bool report_panics;

/* Reports so far; tests begin again from 0. */
extern uint64_t report_count;

#endif
