/*
 * What each host of test/embed must do once the library runs in it: the same for all.
 */
#ifndef EMBED_CHECK_H
#define EMBED_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Supplied by the host: interrupts that call fn() on this CPU at any time; NULL: no more. */
void host_storm(void (*fn)(void));

/*
 * CPUs that the host started, which dolmen_cpu_online() was called on. Here: every CPU frees what
 * others allocated while interrupts on all of them do the same, then the contracts. TAP, and the
 * line that tools/watch waits for. False: something is wrong.
 */
bool host_check(void);

/* "ok N - what" or "not ok N - what"; counted for host_check(). */
void host_expect(bool holds, const char *what);

/* What port_log() of a host does: kept while a contract runs, otherwise printed. */
void host_log(const char *line);

#ifdef __cplusplus
}
#endif

#endif
