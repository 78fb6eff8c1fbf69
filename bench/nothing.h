/*
 * Functions that only return, for the loops that measure what a loop costs. In a file of their own,
 * so that the compiler does not know it.
 */
#ifndef BENCH_NOTHING_H
#define BENCH_NOTHING_H

#include <dolmen/gfp.h>
#include <stddef.h>

#define NO_ALLOC_INSTRUCTIONS 3 /* call, xor, ret */
#define NO_FREE_INSTRUCTIONS  2 /* call, ret */

void *no_alloc(size_t size_bytes, gfp_t gfp);
void no_free(void *object);

#endif
