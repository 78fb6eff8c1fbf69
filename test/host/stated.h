/*
 * Results of malformed inputs that their index states in words.
 */
#ifndef TEST_HOST_STATED_H
#define TEST_HOST_STATED_H

/* The line that the input's outcome should print, or NULL where nothing is stated. */
const char *stated_outcome(const char *file);

#endif
