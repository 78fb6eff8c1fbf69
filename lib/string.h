/*
 * String functions under their standard names. As in C11 (strnlen: POSIX). Any context. The
 * unikernel's alone: mm does without.
 */
#ifndef LIB_STRING_H
#define LIB_STRING_H

#include <stddef.h>

#include "lib/memory.h"

size_t strlen(const char *text);
size_t strnlen(const char *text, size_t max_bytes);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t max_bytes);
char *strchr(const char *text, int c);
char *strstr(const char *text, const char *part);

#endif
