/*
 * See fuzz.h.
 */
#include "test/fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROGRESS_SECONDS 5
#define RUNS_PER_LOOK	 1024 /* at the clock */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

static unsigned long nr_runs;
static time_t last_progress;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	last_progress = time(NULL);
	if (fuzz_start)
		fuzz_start(*argc, *argv);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	if (++nr_runs % RUNS_PER_LOOK == 0 && time(NULL) - last_progress >= PROGRESS_SECONDS) {
		last_progress = time(NULL);
		fprintf(stderr, "progress: %lu runs\n", nr_runs);
	}
	fuzz_one(bytes, size_bytes);
	return 0;
}

void fuzz_failed(const char *file, int line, const char *cond, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s:%d: %s: ", file, line, cond);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

uint8_t *exact_copy(const void *bytes, size_t size_bytes)
{
	uint8_t *copy = malloc(size_bytes);

	if (size_bytes)
		memcpy(copy, bytes, size_bytes);
	return copy;
}
