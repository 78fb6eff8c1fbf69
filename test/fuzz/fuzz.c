/*
 * See fuzz.h.
 */
#include "test/fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_failed(const char *file, int line, const char *cond, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s:%d: %s: ", file, line, cond);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

uint8_t *exact_copy(const void *bytes, size_t size_bytes)
{
	uint8_t *copy = malloc(size_bytes);

	if (size_bytes)
		memcpy(copy, bytes, size_bytes);
	return copy;
}
