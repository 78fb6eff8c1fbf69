/*
 * Shared by the parts of the firmware test: the report, files, and JSON with short names.
 */
#ifndef TEST_HOST_FIRMWARE_H
#define TEST_HOST_FIRMWARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the report: one line an input, then a line for each thing that differs ---- */

void input_begin(const char *folder, const char *name);

/* Printf-like: what is said about a difference, or about the input as a whole. */
void expect(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));
void input_end(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Inputs that no parser takes yet. */
void input_skip(void);

/* ---- files ---- */

/*
 * In a buffer of the exact size, so that a read past the end is seen. free() it; data is NULL if
 * there is no such file.
 */
struct bytes {
	uint8_t *data;
	size_t size_bytes;
};
struct bytes read_file(const char *folder, const char *name);
json_t *read_json(const char *folder,
	const char *name); /* NULL: no such file; what is no JSON ends the program */
bool has_suffix(const char *name, const char *suffix);

/*
 * Calls fn(folder, name) for each name in folder in alphabetical order, those with a dot first left
 * out.
 */
void for_each_name(const char *folder, void (*fn)(const char *folder, const char *name));

/* ---- JSON ---- */

/* A number, or a text like "0x1f". What is missing ends the program. */
uint64_t json_u64(const json_t *value);
uint64_t field_u64(const json_t *object, const char *key);
bool field_bool(const json_t *object, const char *key);

/* ---- the checks ---- */

void check_table_folder(const char *folder, const char *name);
void check_tables(const json_t *expected, struct bytes srat, struct bytes slit, struct bytes madt);
void check_map_file(const char *folder, const char *name);
void check_map_verdict(const char *folder, const char *name, const char *verdict);
void check_malformed(const char *corpus);

#endif
