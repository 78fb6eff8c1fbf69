/*
 * Memory and string functions under their standard names: a freestanding compiler emits calls to
 * the first four on its own, whatever the source says. As in C11 (strnlen: POSIX). Any context. A
 * hosted build uses the C library's instead and does not link lib/string.c, which is why these
 * alone carry no prefix.
 */
#ifndef LIB_STRING_H
#define LIB_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size_bytes);
void *memmove(void *to, const void *from, size_t size_bytes);
void *memset(void *to, int byte, size_t size_bytes);
int memcmp(const void *a, const void *b, size_t size_bytes);

size_t strlen(const char *text);
size_t strnlen(const char *text, size_t max_bytes);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t max_bytes);
char *strchr(const char *text, int c);
char *strstr(const char *text, const char *part);

#endif
