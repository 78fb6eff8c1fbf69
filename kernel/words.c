/*
 * See words.h.
 */
#include "kernel/words.h"

#include "lib/string.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

const char *words_next_command(const char **text, size_t *length)
{
	while (**text) {
		const char *start = *text, *end = strchr(start, ';');

		*length = end ? (size_t)(end - start) : strlen(start);
		*text = start + *length + (end != NULL);
		while (*length && *start == ' ')
			start++, --*length;
		if (*length)
			return start;
	}
	return NULL;
}

unsigned words_split(char *text, char **words, unsigned max)
{
	unsigned nr_words = 0;

	while (*text) {
		if (is_space(*text)) {
			*text++ = '\0';
			continue;
		}
		if (nr_words == max)
			return max + 1;
		words[nr_words++] = text;
		while (*text && !is_space(*text))
			text++;
	}
	return nr_words;
}

bool words_take_option(unsigned *nr_words, char **words, const char *option)
{
	for (unsigned i = 1; i < *nr_words; i++) {
		if (strcmp(words[i], option))
			continue;
		memmove(&words[i], &words[i + 1], (*nr_words - i) * sizeof(*words));
		--*nr_words;
		return true;
	}
	return false;
}

/* 16 for what is no digit. */
static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

bool words_number(const char *word, uint64_t highest, uint64_t *value)
{
	unsigned base = word[0] == '0' && word[1] == 'x' ? 16 : 10;
	const char *digits = base == 16 ? word + 2 : word;
	uint64_t n = 0;

	if (!*digits)
		return false;
	for (; *digits; digits++) {
		unsigned digit = digit_of(*digits);

		if (digit >= base || digit > highest || n > (highest - digit) / base)
			return false;
		n = n * base + digit;
	}
	*value = n;
	return true;
}
