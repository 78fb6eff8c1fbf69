/*
 * String functions for builds without a C library. Loops hide their counter from the optimiser,
 * which would otherwise recognise, say, strlen in the body of strlen and call it.
 */
#include "lib/string.h"

#include <stdint.h>

#define hide(n) __asm__("" : "+r"(n))

size_t strnlen(const char *text, size_t max_bytes)
{
	size_t n = 0;

	while (n < max_bytes && text[n]) {
		n++;
		hide(n);
	}
	return n;
}

size_t strlen(const char *text)
{
	return strnlen(text, SIZE_MAX);
}

int strncmp(const char *a, const char *b, size_t max_bytes)
{
	for (size_t i = 0; i < max_bytes; i++) {
		unsigned char left = (unsigned char)a[i], right = (unsigned char)b[i];

		hide(i);
		if (left != right)
			return left < right ? -1 : 1;
		if (!left)
			break;
	}
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *text, int c)
{
	for (;; text++) {
		hide(text);
		if (*text == (char)c)
			return (char *)text;
		if (!*text)
			return NULL;
	}
}

char *strstr(const char *text, const char *part)
{
	size_t part_bytes = strlen(part);

	for (;; text++) {
		if (!strncmp(text, part, part_bytes))
			return (char *)text;
		if (!*text)
			return NULL;
	}
}
