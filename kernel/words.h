/*
 * A command line into commands and words, words into numbers. Pure: text in, pointers into it out.
 */
#ifndef KERNEL_WORDS_H
#define KERNEL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The next command of *text, commands standing between `;`, without the spaces before it; *length
 * of its characters. *text moves past it. NULL: there is none left. "a; ;b " has "a" and "b ".
 */
const char *words_next_command(const char **text, size_t *length);

/*
 * Cuts `text` into words at spaces and tabs, which become NUL, and sets words[0 .. n - 1]; returns
 * n, or max + 1 if there are more than `max`: then the rest of the text stays as it is.
 */
unsigned words_split(char *text, char **words, unsigned max);

/*
 * Takes the first word that equals `option` out of all but words[0]; true if there was one. The
 * NULL after the last word moves too.
 */
bool words_take_option(unsigned *nr_words, char **words, const char *option);

/* A decimal number, or one with 0x in front. False if it is none or above `highest`. */
bool words_number(const char *word, uint64_t highest, uint64_t *value);

#endif
