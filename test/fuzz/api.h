/*
 * The parts of the fuzzer of the whole interface: api.c makes requests and gives back,
 * wrong_free.c does what no caller may.
 */
#ifndef TEST_FUZZ_API_H
#define TEST_FUZZ_API_H

#include "test/fuzz/shadow.h"

/* True from dolmen_fail_pages() on: any request may fail. */
extern bool api_may_fail;
extern bool api_is_exact; /* dolmen_exact(true) was called */

/* A node, NUMA_NO_NODE, or a number that is no node. */
int take_node(struct input *input);

/* One wrong free. It must be reported once and change nothing. */
void op_wrong_free(struct input *input);

#endif
