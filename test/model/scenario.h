/*
 * Fixed programs, short enough that every schedule with a few preemptions can be run.
 */
#ifndef TEST_MODEL_SCENARIO_H
#define TEST_MODEL_SCENARIO_H

#include "test/model/program.h"

extern const struct program scenarios[];
extern const unsigned nr_scenarios;

#endif
