/*
 * What the fuzzers share: a progress line each few seconds, an input that is eaten byte by byte,
 * a requirement whose failure ends the program (libFuzzer then keeps the input), and copies of
 * exact size, so that AddressSanitizer sees a read past the end of a table.
 */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REQUIRE(cond, ...) ((cond) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #cond, __VA_ARGS__))

void fuzz_failed(const char *file, int line, const char *cond, const char *format, ...)
	__attribute__((noreturn, format(printf, 4, 5)));

struct input {
	const uint8_t *at, *end;
};

/* Past its end an input is zeroes. */
static inline uint8_t take8(struct input *input)
{
	return input->at < input->end ? *input->at++ : 0;
}

static inline uint16_t take16(struct input *input)
{
	uint16_t low = take8(input);

	return (uint16_t)(low | take8(input) << 8);
}

static inline uint64_t take64(struct input *input)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)take8(input) << 8 * i;
	return value;
}

static inline size_t input_left(const struct input *input)
{
	return (size_t)(input->end - input->at);
}

/* On the heap, `size_bytes` long; free() it. */
uint8_t *exact_copy(const void *bytes, size_t size_bytes);

/*
 * What each fuzzer supplies: the run of one input; and, if it has a use for it, what comes before
 * all runs.
 */
void fuzz_one(const uint8_t *bytes, size_t size_bytes);
void fuzz_start(int argc, char **argv) __attribute__((weak));

#endif
