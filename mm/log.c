/*
 * One line for people: see mm/log.h.
 */
#include "mm/log.h"

#include <stdarg.h>

#include <dolmen/port.h>
#include "lib/printf.h"

#define LINE_BYTES 200

bool report_panics;

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
	port_log(line);
}
