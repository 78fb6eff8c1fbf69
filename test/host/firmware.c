/*
 * Runs firmware data through the parsers and compares with what is expected.
 *
 *	firmware DIR...		each with the layout that test/fixture/README.md describes
 *
 * One line for each machine, map and malformed input, then `N passed, N failed`; fails unless there
 * were inputs and all passed. Built with AddressSanitizer and UBSan, and each input has a buffer of
 * its exact size: a read past the end of a table ends the program.
 */
#include "test/host/firmware.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned nr_passed, nr_failed, nr_skipped;

static struct {
	char name[200];
	char differences[4000];
	size_t length;
	unsigned nr_differences;
} input;

void input_begin(const char *folder, const char *name)
{
	const char *last = strrchr(folder, '/');

	memset(&input, 0, sizeof(input));
	snprintf(input.name, sizeof(input.name), "%s/%s", last ? last + 1 : folder, name);
}

void expect(bool holds, const char *format, ...)
{
	va_list args;
	char line[400];

	if (holds)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	input.nr_differences++;
	if (input.length < sizeof(input.differences) - sizeof(line) - 8)
		input.length += (size_t)snprintf(input.differences + input.length,
			sizeof(input.differences) - input.length, "\t%s\n", line);
}

void input_end(const char *format, ...)
{
	va_list args;

	printf("%s %s: ", input.nr_differences ? "FAIL" : "ok  ", input.name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n%s", input.differences);
	if (input.nr_differences)
		nr_failed++;
	else
		nr_passed++;
}

void input_skip(void)
{
	nr_skipped++;
}

static __attribute__((noreturn)) void fail(const char *what, const char *folder, const char *name)
{
	fflush(stdout);
	fprintf(stderr, "firmware: %s: %s/%s\n", what, folder, name);
	exit(2);
}

struct bytes read_file(const char *folder, const char *name)
{
	struct bytes bytes = {0};
	char path[1000];
	struct stat stat_of;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	if (!file)
		return bytes;
	if (fstat(fileno(file), &stat_of))
		fail("cannot read", folder, name);
	bytes.size_bytes = (size_t)stat_of.st_size;
	bytes.data = malloc(bytes.size_bytes);
	if (!bytes.data || fread(bytes.data, 1, bytes.size_bytes, file) != bytes.size_bytes)
		fail("cannot read", folder, name);
	fclose(file);
	return bytes;
}

json_t *read_json(const char *folder, const char *name)
{
	struct bytes text = read_file(folder, name);
	json_error_t error;

	if (!text.data)
		return NULL;
	json_t *json = json_loadb((const char *)text.data, text.size_bytes, 0, &error);
	if (!json)
		fail(error.text, folder, name);
	free(text.data);
	return json;
}

bool has_suffix(const char *name, const char *suffix)
{
	size_t length = strlen(name), suffix_length = strlen(suffix);

	return length >= suffix_length && !strcmp(name + length - suffix_length, suffix);
}

void for_each_name(const char *folder, void (*fn)(const char *folder, const char *name))
{
	struct dirent **entries;
	int nr_entries = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < nr_entries; i++) {
		if (entries[i]->d_name[0] != '.')
			fn(folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (nr_entries >= 0)
		free(entries);
}

uint64_t json_u64(const json_t *value)
{
	if (json_is_string(value))
		return strtoull(json_string_value(value), NULL, 0);
	if (!json_is_integer(value))
		fail("a number is missing", "expected.json of", input.name);
	return (uint64_t)json_integer_value(value);
}

uint64_t field_u64(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!value)
		fail(key, "expected.json lacks a field", input.name);
	return json_u64(value);
}

bool field_bool(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_boolean(value))
		fail(key, "expected.json lacks a field", input.name);
	return json_is_true(value);
}

static void check_corpus(const char *corpus)
{
	char folder[1000];

	snprintf(folder, sizeof(folder), "%s/tables", corpus);
	for_each_name(folder, check_table_folder);
	snprintf(folder, sizeof(folder), "%s/memmaps", corpus);
	for_each_name(folder, check_map_file);
	check_malformed(corpus);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: firmware DIR...\n");
		return 2;
	}
	for (int i = 1; i < argc; i++)
		check_corpus(argv[i]);
	if (nr_skipped)
		printf("%u HMAT inputs skipped\n", nr_skipped);
	printf("%u passed, %u failed\n", nr_passed, nr_failed);
	return nr_failed || !nr_passed;
}
