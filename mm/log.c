/*
 * One line for people: see mm/log.h.
 */
#include "mm/log.h"

#include <stdarg.h>

#include <dolmen/port.h>
#include "lib/printf.h"

#define LINE_BYTES 200

#define REPORTS_SHOWN 1000 /* afterwards the 1024th, 2048th, 4096th ... */

bool report_panics;

uint64_t report_count;

void mm_log(const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;

	va_start(args, format);
	format_args(line, sizeof(line), format, args);
	va_end(args);
	port_log(line);
}

void mm_report(const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;

	va_start(args, format);
	format_args(line, sizeof(line), format, args);
	va_end(args);
	if (report_panics)
		port_panic(line);
	uint64_t nr = port_fetch_add(&report_count, (uint64_t)1) + 1;
	if (nr > REPORTS_SHOWN && nr & (nr - 1))
		return;
	port_log(line);
	port_backtrace();
	if (nr == REPORTS_SHOWN)
		port_log("that was the 1000th report; of those to come each doubling is shown");
}
