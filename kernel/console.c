/*
 * The console: finds and runs commands, and ends the machine with their verdict.
 *
 * All of it runs on the boot CPU with interrupts on. A command prints for itself and says whether
 * it succeeded; one that is unknown or wrongly used has failed.
 */
#include "kernel/console.h"

#include <stdarg.h>

#include <dolmen/port.h>
#include "arch/x86_64/io.h"
#include "arch/x86_64/serial.h"
#include "arch/x86_64/timer.h"
#include "boot/boot_info.h"
#include "kernel/fault.h"
#include "kernel/machine.h"
#include "kernel/words.h"
#include "lib/printf.h"
#include "lib/string.h"

struct command {
	const char *name, *words, *help;
	command_run *run;
};

static command_run cmd_help, cmd_console, cmd_poweroff, cmd_reboot, cmd_fault;

static const struct command commands[] = {
	{"help", "[COMMAND]", "this list", cmd_help},
	{"cpus", "", "CPUs: APIC id, node, memory node, state", cmd_cpus},
	{"mem", "[-b]", "where every page went, by use and by node", cmd_mem},
	{"numa", "[-b]", "nodes, their CPUs and memory, and the distances between them", cmd_numa},
	{"slabinfo", "[-b] [PATTERN]", "slab caches: objects, slabs, waste, what is kept free",
		cmd_slabinfo},
	{"knobs", "[PATTERN [LIMIT VALUE]]", "limits of caches, and how to set one", cmd_knobs},
	{"exact", "on|off", "all caches without sheaves: every wrong free is found at once",
		cmd_exact},
	{"stats", "[PATTERN]", "how often each slow path was taken", cmd_stats},
	{"test", "[PATTERN] [SEED]", "run the contracts whose sentence or file holds PATTERN",
		cmd_test},
	{"stress", "[OPERATIONS] [SEED]",
		"all CPUs allocate, exchange and free, under timer interrupts", cmd_stress},
	{"schedules", "[FIRST-SEED] [RUNS]",
		"short runs of all CPUs, interleaved by seed; see DOLMEN_PAUSES", cmd_schedules},
	{"bench", "[list | WORD...]", "instructions per call; exact under run-qemu.sh --icount",
		cmd_bench},
	{"demo", "", "allocate on every CPU, free on others, show the slabs", cmd_demo},
	{"fault", "gp|page|null|stack|text|exec|panic", "fault on purpose and report it",
		cmd_fault},
	{"console", "", "as the last command: wait for typed ones", cmd_console},
	{"poweroff", "", "end QEMU with the verdict on the command line, or turn a PC off",
		cmd_poweroff},
	{"reboot", "", "start over", cmd_reboot},
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))
#define HELP_COLUMN 28 /* where the help of a command begins */

static unsigned nr_failed; /* commands of the command line */
static uint64_t boot_ticks;
static bool stay; /* "console" was asked for */

void console_vprint(const char *format, va_list args)
{
	char text[512];
	size_t length = format_args(text, sizeof(text), format, args);

	serial_write(text, length < sizeof(text) ? length : sizeof(text) - 1);
}

void console_print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	console_vprint(format, args);
	va_end(args);
}

uint64_t console_boot_ticks(void)
{
	return boot_ticks;
}

bool console_exact(unsigned *nr_words, char **words)
{
	return words_take_option(nr_words, words, "-b");
}

const char *console_size(char *buf, uint64_t bytes, bool exact)
{
	if (!exact)
		return format_bytes(buf, 24, bytes);
	format_text(buf, 24, "%lu", bytes);
	return buf;
}

bool console_number(const char *word, uint64_t highest, uint64_t *value)
{
	bool good = words_number(word, highest, value);

	if (!good)
		console_print("\"%s\" is not a number up to %lu\n", word, highest);
	return good;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* Letters that differ when one is laid over the other, with what is left over; enough to find a
 * slip of the finger. */
static unsigned difference(const char *a, const char *b)
{
	unsigned n = 0;

	while (*a && *b) {
		if (*a == *b) {
			a++, b++;
			continue;
		}
		n++;
		if (a[1] == *b && *a != b[1])
			a++;
		else if (b[1] == *a && *b != a[1])
			b++;
		else
			a++, b++;
	}
	return n + (unsigned)strlen(a) + (unsigned)strlen(b);
}

static void unknown_command(const char *name)
{
	const struct command *nearest = NULL;
	unsigned least = 3;

	for (size_t i = 0; i < NR_COMMANDS; i++) {
		unsigned n = difference(name, commands[i].name);

		if (n < least) {
			least = n;
			nearest = &commands[i];
		}
	}
	if (nearest)
		console_print("no command \"%s\"; did you mean \"%s\"?\n", name, nearest->name);
	else
		console_print("no command \"%s\"; \"help\" lists them\n", name);
}

bool console_usage(const char *name)
{
	const struct command *command = find_command(name);

	console_print("usage: %s%s%s\n", name, command && *command->words ? " " : "",
		command ? command->words : "");
	return false;
}

/* A usage that reaches into the second column has a line of its own. */
static void print_help(const struct command *command)
{
	char usage[80];
	size_t length = format_text(usage, sizeof(usage), "%s%s%s", command->name,
		*command->words ? " " : "", command->words);

	if (length >= HELP_COLUMN) {
		console_print("  %s\n", usage);
		usage[0] = '\0';
	}
	console_print("  %-*s%s\n", HELP_COLUMN, usage, command->help);
}

static bool cmd_help(unsigned nr_words, char **words)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (nr_words == 1 || !strcmp(words[1], commands[i].name))
			print_help(&commands[i]);
	if (nr_words > 1 && !find_command(words[1])) {
		unknown_command(words[1]);
		return false;
	}
	if (nr_words == 1)
		console_print("\nSeveral commands stand on one line with ; between them. -b: exact "
			      "sizes.\n");
	return true;
}

static bool cmd_console(unsigned nr_words, char **words)
{
	if (nr_words > 1)
		return console_usage(words[0]);
	stay = true;
	return true;
}

static void end_machine(void) __attribute__((noreturn));
static void end_machine(void)
{
	if (nr_failed)
		console_print("dolmen: commands done, %u failed\n", nr_failed);
	else
		console_print("dolmen: commands done, all succeeded\n");
	machine_exit(nr_failed ? MACHINE_FAILED : MACHINE_PASSED);
}

static bool cmd_poweroff(unsigned nr_words, char **words)
{
	if (nr_words > 1)
		return console_usage(words[0]);
	end_machine();
}

static bool cmd_reboot(unsigned nr_words, char **words)
{
	if (nr_words > 1)
		return console_usage(words[0]);
	machine_reboot();
}

static bool cmd_fault(unsigned nr_words, char **words)
{
	if (nr_words != 2)
		return console_usage(words[0]);
	/* Comes back only from what it does not know. */
	fault_inject(words[1]);
	console_print("no fault \"%s\"\n", words[1]);
	return console_usage(words[0]);
}

/* One command, `text` being changed. An empty one is fine. */
static bool run_one(char *text)
{
	char *words[CONSOLE_MAX_WORDS + 1];
	unsigned nr_words = words_split(text, words, CONSOLE_MAX_WORDS);

	if (nr_words > CONSOLE_MAX_WORDS) {
		console_print("more than %u words in \"%s ...\"\n", CONSOLE_MAX_WORDS, words[0]);
		return false;
	}
	words[nr_words] = NULL;
	if (!nr_words)
		return true;
	const struct command *command = find_command(words[0]);
	if (!command) {
		unknown_command(words[0]);
		return false;
	}
	return command->run(nr_words, words);
}

/* One command of `length` characters. Counts a failure, and says so where nobody watches. */
static void run_text(const char *text, size_t length, bool echo)
{
	static char one[CONSOLE_LINE_BYTES];
	bool good = length < sizeof(one);

	if (good) {
		memcpy(one, text, length);
		one[length] = '\0';
		if (echo)
			console_print("dolmen> %s\n", one);
		stay = false;
		good = run_one(one);
	} else {
		console_print("a command of more than %zu characters\n", sizeof(one) - 1);
	}
	if (!good) {
		nr_failed++;
		if (echo)
			console_print("dolmen: the command failed\n");
	}
}

/* All commands of `text`, in order, one that fails not stopping the next. False if there were
 * none. */
static bool run_all(const char *text, bool echo)
{
	const char *command;
	size_t length;
	bool any = false;

	while ((command = words_next_command(&text, &length))) {
		any = true;
		run_text(command, length, echo);
	}
	return any;
}

void console_main(const char *text)
{
	static char line[CONSOLE_LINE_BYTES];

	boot_ticks = read_tsc() - boot_info.entry_tsc - timer_waited();
	if (run_all(text, true) && !stay)
		end_machine();
	console_print("\"help\" lists the commands.\n");
	for (;;) {
		unsigned before = nr_failed;

		console_read_line("dolmen> ", line);
		run_all(line, false);
		nr_failed = before; /* a slip of the finger is no verdict */
	}
}
