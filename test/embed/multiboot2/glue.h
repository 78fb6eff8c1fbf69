/*
 * From what GRUB says to a running library, for all hosts on the small kernel.
 */
#ifndef EMBED_GLUE_H
#define EMBED_GLUE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the other CPUs and the library on all. False, with a line, if there is no memory. */
bool glue_start(const void *info);

#ifdef __cplusplus
}
#endif

#endif
