/*
 * Memory functions under their standard names: a freestanding compiler emits calls to these four on
 * its own, whatever the source says. As in C11. Any context. A host that has them does not link
 * lib/memory.c, which is why they carry no prefix.
 */
#ifndef LIB_MEMORY_H
#define LIB_MEMORY_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size_bytes);
void *memmove(void *to, const void *from, size_t size_bytes);
void *memset(void *to, int byte, size_t size_bytes);
int memcmp(const void *a, const void *b, size_t size_bytes);

#endif
