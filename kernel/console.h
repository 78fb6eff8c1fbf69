/*
 * The serial console: commands from the command line or typed by a person, one table of them.
 */
#ifndef KERNEL_CONSOLE_H
#define KERNEL_CONSOLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONSOLE_LINE_BYTES 256 /* of a typed line; the command line may be longer */
#define CONSOLE_MAX_WORDS  8   /* of one command, its name included */

/*
 * Runs the commands of `commands`, separated by `;`, then prints how many failed and ends the
 * machine with that verdict. With none, or when the last is "console", reads commands from the
 * serial line for ever. On the boot CPU, interrupts on, after everything else has started.
 */
void console_main(const char *commands) __attribute__((noreturn));

/* printf-like as lib/printf.h, onto the serial line in one piece; cut at 511 characters. Any
 * context. */
void console_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void console_vprint(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* TSC ticks from the kernel's entry to console_main(), waits for hardware left out. */
uint64_t console_boot_ticks(void);

/* ---- for the commands ---- */

/* words[0] is the command's name; words[nr_words] is NULL. True: succeeded. */
typedef bool command_run(unsigned nr_words, char **words);

command_run cmd_cpus, cmd_mem, cmd_numa, cmd_slabinfo, cmd_stats, cmd_test, cmd_stress,
	cmd_schedules, cmd_bench, cmd_demo, cmd_knobs, cmd_exact;

/* Takes the option -b out of the words; true if it was there: sizes are to be exact. */
bool console_exact(unsigned *nr_words, char **words);

/* Bytes as "1.5 MiB", or all digits when `exact`. `buf` holds 24 bytes; returns it. */
const char *console_size(char *buf, uint64_t bytes, bool exact);

/* A decimal number, or one with 0x in front. False, with a line that says so, if `word` is not
 * one or above `highest`. */
bool console_number(const char *word, uint64_t highest, uint64_t *value);

/*
 * Whether a command means the cache of this name: with the word NULL every one, else the one that
 * is called just that, or, where none is, each whose name holds it.
 */
bool console_means_cache(const char *word, const char *name);

/* The command was given words that it does not take: prints its usage. Returns false, for the
 * command to return. */
bool console_usage(const char *name);

/* Reads a line into `line` with editing and history, without its newline. Waits in hlt.
 * kernel/line.c */
void console_read_line(const char *prompt, char line[CONSOLE_LINE_BYTES]);

#endif
