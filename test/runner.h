/*
 * Runs the contracts of test/case as TAP, in the guest and hosted alike. The place (kernel/ or
 * test/host/contracts) supplies the functions below and those of test/contract.h that need CPUs;
 * everything else is in test/runner.c.
 */
#ifndef TEST_RUNNER_H
#define TEST_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- supplied by the place ---- */

/* Text to where the TAP goes. Any context. */
void runner_write(const char *text, size_t length);

/* ---- supplied by test/runner.c ---- */

/*
 * To be called from the place's port_log() with each line, before or after printing it; any
 * context.
 */
void runner_note_log(const char *line);

/* True while a contract runs: log lines are kept back then, and shown if it fails. */
bool runner_active(void);

/*
 * Runs every contract whose file name or sentence contains `pattern` (NULL: all) on this CPU, which
 * must be CPU 0:
 *
 *	# seed 1
 *	1..2
 *	ok 1 - a freed object is handed out again
 *	not ok 2 - ...
 *	1 passed, 1 failed
 *
 * Returns the number that failed; a pattern that matches nothing counts as one failure.
 */
unsigned runner_run(const char *pattern, uint64_t seed);

/* One line a contract: file, sentence, what breaks it. */
void runner_list(const char *pattern);

/* printf-like as lib/printf.h, through runner_write(), cut at 255 characters. */
void runner_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
