/*
 * Fuzzes what a person or a boot loader types: the line editor against one that is slow and
 * simple, what the terminal shows against the line, and the way from a line to commands, words
 * and numbers.
 *
 * History outlives a line, and so a run; the slow editor's does so too.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86_64/serial.h"
#include "kernel/console.h"
#include "kernel/words.h"
#include "test/fuzz/fuzz.h"

#define PROMPT	     "> "
#define SCREEN_BYTES (CONSOLE_LINE_BYTES + 8)

/* ---- the terminal ---- */

static struct input *typed;
static char screen[SCREEN_BYTES]; /* the line that the cursor is in */
static size_t cursor;

int serial_wait(void)
{
	/* Whoever types ends each line at last. */
	return input_left(typed) ? take8(typed) : '\r';
}

void serial_write(const char *text, size_t size_bytes)
{
	for (; size_bytes; text++, size_bytes--) {
		if (*text == '\n') {
			cursor = 0;
			memset(screen, 0, sizeof(screen));
		} else if (*text == '\b') {
			REQUIRE(cursor, "the cursor left the screen");
			cursor--;
		} else {
			REQUIRE(cursor < sizeof(screen) - 1, "the line left the screen");
			screen[cursor++] = *text;
		}
	}
}

static char before_newline[SCREEN_BYTES]; /* the screen's line when it was last ended */

void console_print(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	int length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (text[0] == '\n')
		memcpy(before_newline, screen, sizeof(screen));
	serial_write(text, (size_t)length);
}

/* ---- the slow editor ---- */

static char past[8][CONSOLE_LINE_BYTES];
static unsigned nr_past; /* at most 8, the newest first */

static void drop_word(char *line)
{
	size_t length = strlen(line);

	while (length && line[length - 1] == ' ')
		line[--length] = '\0';
	while (length && line[length - 1] != ' ')
		line[--length] = '\0';
}

static void remember(const char *line)
{
	if (!*line || (nr_past && !strcmp(line, past[0])))
		return;
	memmove(past[1], past[0], sizeof(past) - sizeof(past[0]));
	strcpy(past[0], line);
	nr_past += nr_past < 8;
}

/* What an escape sequence means: 'A', 'B' or nothing. */
static int escape(struct input *keys)
{
	int byte;

	if ((input_left(keys) ? take8(keys) : '\r') != '[')
		return 0;
	do
		byte = input_left(keys) ? take8(keys) : '\r';
	while ((byte < 0x40 || byte > 0x7e) && input_left(keys));
	return byte;
}

static void want_line(struct input *keys, char *line)
{
	unsigned back = 0;

	memset(line, 0, CONSOLE_LINE_BYTES);
	while (input_left(keys)) {
		int key = take8(keys), arrow = 0;
		size_t length = strlen(line);

		if (key == '\r' || key == '\n')
			break;
		if (key == 0x1b)
			arrow = escape(keys), key = 0;
		if ((key == '\b' || key == 0x7f) && length)
			line[length - 1] = '\0';
		if (key == 0x15 || key == 0x03)
			*line = '\0';
		if (key == 0x17)
			drop_word(line);
		if (arrow == 'A' && back < nr_past)
			back++;
		if (arrow == 'B' && back)
			back--;
		if (arrow == 'A' || arrow == 'B')
			strcpy(line, back ? past[back - 1] : "");
		if (key >= 32 && key < 127 && length + 1 < CONSOLE_LINE_BYTES) {
			line[length] = (char)key;
			line[length + 1] = '\0';
		}
	}
	remember(line);
}

/* An escape sequence that the input's end cuts off would wait for ever: such input is not typed. */
static bool is_endless(struct input keys)
{
	while (input_left(&keys)) {
		if (take8(&keys) != 0x1b)
			continue;
		if (!input_left(&keys))
			return false;
		if (take8(&keys) != '[')
			continue;
		int byte = 0;

		while (input_left(&keys) && ((byte = take8(&keys)) < 0x40 || byte > 0x7e))
			;
		if (byte < 0x40 || byte > 0x7e)
			return true;
	}
	return false;
}

static void edit(struct input *input, char *line)
{
	struct input keys = *input;
	static char want[CONSOLE_LINE_BYTES];
	char shown[CONSOLE_LINE_BYTES + 2];

	typed = input;
	console_print("\n");
	console_read_line(PROMPT, line);
	want_line(&keys, want);
	REQUIRE(memchr(line, 0, CONSOLE_LINE_BYTES), "the line has no end");
	REQUIRE(!strcmp(line, want), "\"%s\", not \"%s\"", line, want);
	snprintf(shown, sizeof(shown), "%s%s", PROMPT, line);
	REQUIRE(!strncmp(before_newline, shown, strlen(shown)), "\"%s\" on the screen, not \"%s\"",
		before_newline, shown);
	for (const char *at = before_newline + strlen(shown); *at; at++)
		REQUIRE(*at == ' ', "\"%s\" is left on the screen", at);
}

/* ---- commands, words, numbers ---- */

static void check_number(const char *word, uint64_t highest)
{
	char *end;
	bool hex = word[0] == '0' && word[1] == 'x';
	const char *digits = hex ? word + 2 : word;
	bool good = *digits &&
		    strspn(digits, hex ? "0123456789abcdef" : "0123456789") == strlen(digits);
	unsigned long long want = 0;

	while (*digits == '0' && digits[1])
		digits++;
	good = good && strlen(digits) <= 20;
	if (good) {
		__uint128_t wide = 0;

		for (const char *at = digits; *at; at++)
			wide = wide * (hex ? 16 : 10) +
			       (unsigned)(*at >= 'a' ? *at - 'a' + 10 : *at - '0');
		good = wide <= highest;
		want = strtoull(digits, &end, hex ? 16 : 10);
	}
	uint64_t value = 0;
	bool got = words_number(word, highest, &value);

	REQUIRE(got == good, "\"%s\" up to %lu: %d", word, highest, got);
	REQUIRE(!got || value == want, "\"%s\" is %lu", word, value);
}

static void check_words(const char *command, size_t length, uint64_t highest)
{
	char *copy = (char *)exact_copy(command, length + 1), *slow = strndup(command, length);
	char *words[CONSOLE_MAX_WORDS + 1], *want[CONSOLE_LINE_BYTES], *rest = slow, *word;
	unsigned nr_want = 0;

	copy[length] = '\0';
	unsigned nr = words_split(copy, words, CONSOLE_MAX_WORDS);

	while ((word = strsep(&rest, " \t")))
		if (*word)
			want[nr_want++] = word;
	REQUIRE(nr == (nr_want > CONSOLE_MAX_WORDS ? CONSOLE_MAX_WORDS + 1 : nr_want),
		"%u words, not %u", nr, nr_want);
	for (unsigned i = 0; i < nr && nr <= CONSOLE_MAX_WORDS; i++) {
		REQUIRE(!strcmp(words[i], want[i]), "word %u is \"%s\"", i, words[i]);
		check_number(words[i], highest);
	}
	if (nr <= CONSOLE_MAX_WORDS) {
		unsigned left = nr, first = nr;

		for (unsigned i = nr; i-- > 1;)
			if (!strcmp(want[i], "-b"))
				first = i;
		words[nr] = NULL;
		bool taken = words_take_option(&left, words, "-b");
		REQUIRE(taken == (first < nr) && left == nr - taken && !words[left],
			"the option was taken: %d", taken);
		for (unsigned i = 0; i < left; i++)
			REQUIRE(!strcmp(words[i], want[i + (i >= first)]), "word %u", i);
	}
	free(copy);
	free(slow);
}

static void check_commands(const char *line, uint64_t highest)
{
	char *slow = strdup(line), *rest = slow, *piece;
	const char *text = line;
	size_t length;

	while ((piece = strsep(&rest, ";"))) {
		piece += strspn(piece, " ");
		if (!*piece)
			continue;
		const char *command = words_next_command(&text, &length);

		REQUIRE(command && length == strlen(piece) && !strncmp(command, piece, length),
			"not the command \"%s\"", piece);
		check_words(command, length, highest);
	}
	REQUIRE(!words_next_command(&text, &length), "one command too many");
	free(slow);
}

void fuzz_one(const uint8_t *bytes, size_t size_bytes)
{
	struct input input = {bytes, bytes + size_bytes};
	static char line[CONSOLE_LINE_BYTES];
	unsigned shift = take8(&input);
	uint64_t highest = UINT64_MAX >> shift % 64;

	if (shift >= 0xc0) { /* a command line: as long as it likes */
		char *text = strndup((const char *)input.at, input_left(&input));

		check_commands(text, highest);
		free(text);
		return;
	}
	if (is_endless(input))
		return;
	do {
		edit(&input, line);
		check_commands(line, highest);
	} while (input_left(&input));
}
