/*
 * Formatted text into a buffer of the caller. No allocation, no state, any context.
 *
 * Conversions: %d %i %u %x %X %p %s %c %%; lengths l, ll, z; flags - and 0; width and precision as
 * numbers or *. An unknown conversion is copied as it stands and takes no argument. %s of NULL is
 * "(null)".
 */
#ifndef LIB_PRINTF_H
#define LIB_PRINTF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/names.h"

/*
 * As vsnprintf and snprintf: never writes past size_bytes, ends with a NUL unless size_bytes is 0,
 * returns the length that the whole text has.
 */
size_t format_args(char *buf, size_t size_bytes, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));
size_t format_text(char *buf, size_t size_bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "512 B", "64.0 MiB", "1.5 TiB", to the nearest tenth. 16 bytes hold any. Returns buf. */
const char *format_bytes(char *buf, size_t size_bytes, uint64_t bytes);

#endif
