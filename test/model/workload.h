/*
 * Workloads whose page allocations fail one after the other.
 */
#ifndef TEST_MODEL_WORKLOAD_H
#define TEST_MODEL_WORKLOAD_H

#include "test/model/program.h"

extern const unsigned nr_workloads;

void workload_make(struct program *program, unsigned i);

#endif
