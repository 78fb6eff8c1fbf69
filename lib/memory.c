/*
 * Memory functions for builds without a C library.
 *
 * Bulk goes through `rep movsq` and `rep stosq`: fast on every x86_64, no vector registers, and an
 * eighth of the guest instructions of the byte forms under an emulator that counts each repetition.
 * The last eight bytes are done by one word that may overlap the bulk. Loops over bytes hide their
 * counter from the optimiser, which would otherwise recognise memcpy in the body of memcpy and call
 * it.
 */
#include "lib/memory.h"

#include <stdint.h>

/*
 * A word at any address and of any type. Not __builtin_memcpy: without optimisation that is a call
 * to memcpy.
 */
struct word {
	uint64_t bits;
} __attribute__((packed, may_alias));

#define WORD	     sizeof(uint64_t)
#define INLINE_BYTES 64 /* up to here a loop of words beats the start-up cost of `rep` */

#define hide(n) __asm__("" : "+r"(n))

static uint64_t load(const void *from)
{
	return ((const struct word *)from)->bits;
}

static void store(void *to, uint64_t bits)
{
	((struct word *)to)->bits = bits;
}

static void copy_bytes_up(unsigned char *to, const unsigned char *from, size_t size_bytes)
{
	for (size_t i = 0; i < size_bytes; i++) {
		hide(i);
		to[i] = from[i];
	}
}

/* Right also where the two overlap and `to` is the lower one. */
static void copy_up(void *to, const void *from, size_t size_bytes)
{
	if (size_bytes < WORD) {
		copy_bytes_up(to, from, size_bytes);
		return;
	}

	/* Read before the bulk may overwrite it. */
	char *last_to = (char *)to + size_bytes - WORD;
	uint64_t last = load((const char *)from + size_bytes - WORD);

	if (size_bytes <= INLINE_BYTES) {
		for (size_t i = 0; i + WORD <= size_bytes; i += WORD) {
			hide(i);
			store((char *)to + i, load((const char *)from + i));
		}
	} else {
		size_t nr_words = size_bytes / WORD;

		__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(nr_words) : : "memory");
	}
	store(last_to, last);
}

/* Right also where the two overlap and `to` is the higher one. */
static void copy_down(unsigned char *to, const unsigned char *from, size_t size_bytes)
{
	while (size_bytes >= WORD) {
		size_bytes -= WORD;
		hide(size_bytes);
		store(to + size_bytes, load(from + size_bytes));
	}
	while (size_bytes) {
		size_bytes--;
		hide(size_bytes);
		to[size_bytes] = from[size_bytes];
	}
}

void *memcpy(void *restrict to, const void *restrict from, size_t size_bytes)
{
	copy_up(to, from, size_bytes);
	return to;
}

void *memmove(void *to, const void *from, size_t size_bytes)
{
	/* True as well when `to` lies before `from`: the difference then wraps to a huge one. */
	if ((uintptr_t)to - (uintptr_t)from >= size_bytes)
		copy_up(to, from, size_bytes);
	else
		copy_down(to, from, size_bytes);
	return to;
}

void *memset(void *to, int byte, size_t size_bytes)
{
	uint64_t word = (unsigned char)byte * 0x0101010101010101ull;
	char *at = to;

	if (size_bytes < WORD) {
		for (size_t i = 0; i < size_bytes; i++) {
			hide(i);
			at[i] = (char)byte;
		}
		return to;
	}
	store(at + size_bytes - WORD, word);
	if (size_bytes <= INLINE_BYTES) {
		for (size_t i = 0; i + WORD <= size_bytes; i += WORD) {
			hide(i);
			store(at + i, word);
		}
	} else {
		size_t nr_words = size_bytes / WORD;

		__asm__ volatile("rep stosq" : "+D"(at), "+c"(nr_words) : "a"(word) : "memory");
	}
	return to;
}

int memcmp(const void *a, const void *b, size_t size_bytes)
{
	const unsigned char *left = a, *right = b;

	for (size_t i = 0; i < size_bytes; i++) {
		hide(i);
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	}
	return 0;
}
