/*
 * Runs contracts and speaks TAP. Only CPU 0 prints results; a CHECK may fail on any CPU and in any
 * context, so what it touches are counters and one line at a time.
 *
 * After each contract the number of free pages must be what it was before it, counted with all
 * caches drained on both sides: a contract that leaks a page fails, whatever it checked.
 */
#include "test/runner.h"

#include <stdarg.h>

#include <dolmen/init.h>
#include <dolmen/port.h>
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/log.h"
#include "mm/page_alloc.h"
#include "test/contract.h"

#define LINE_BYTES	256
#define LOG_LINES	64 /* a power of two */
#define SHOWN_LOG_LINES 16
#define SHOWN_FAILURES                                                                             \
	10 /* lines a contract may print, so that a broken loop does not flood the console */

extern const struct contract __start_contracts[], __stop_contracts[];

static unsigned nr_failed_checks; /* of the running contract; any CPU */
static const char *skipped;	  /* why the running contract is skipped */
static bool active;
static uint64_t random_state;

/*
 * The newest lines. A writer takes a number and fills the slot of it; a line being written may be
 * read torn.
 */
static char log_lines[LOG_LINES][LINE_BYTES];
static uint64_t nr_log_lines, first_log_line;

void runner_print(const char *format, ...)
{
	char line[LINE_BYTES + 1];
	va_list args;
	size_t length;

	va_start(args, format);
	length = format_args(line, LINE_BYTES, format, args);
	va_end(args);
	if (length >= LINE_BYTES)
		length = LINE_BYTES - 1;
	line[length++] = '\n';
	runner_write(line, length);
}

bool runner_active(void)
{
	return port_load(&active);
}

/* ---- what contracts call ---- */

void contract_failed(const char *file, int line, const char *cond, const char *format, ...)
{
	char text[LINE_BYTES];
	va_list args;

	if (port_fetch_add(&nr_failed_checks, 1u) >= SHOWN_FAILURES)
		return;
	va_start(args, format);
	format_args(text, sizeof(text), format, args);
	va_end(args);
	runner_print("# %s:%d: %s: %s", file, line, cond, text);
}

void contract_skip(const char *why)
{
	skipped = why;
}

void test_run_on(unsigned cpu, void (*fn)(void *), void *arg)
{
	if (cpu == port_cpu()) {
		fn(arg);
		return;
	}
	test_start_on(cpu, fn, arg);
	test_wait_for(cpu);
}

void test_run_on_all(void (*fn)(void *), void *arg)
{
	unsigned nr_cpus = test_nr_cpus();

	for (unsigned cpu = 1; cpu < nr_cpus; cpu++)
		test_start_on(cpu, fn, arg);
	fn(arg);
	for (unsigned cpu = 1; cpu < nr_cpus; cpu++)
		test_wait_for(cpu);
}

/* xorshift64*; any CPU may draw, so it advances by compare-exchange. */
uint64_t test_random(void)
{
	uint64_t old = port_load(&random_state), next;

	do {
		next = old;
		next ^= next >> 12;
		next ^= next << 25;
		next ^= next >> 27;
	} while (!port_cas(&random_state, &old, next));
	return next * 0x2545f4914f6cdd1dul;
}

void runner_note_log(const char *line)
{
	uint64_t number = port_fetch_add(&nr_log_lines, 1ul);
	char *slot = log_lines[number % LOG_LINES];
	size_t length = strnlen(line, LINE_BYTES - 1);

	for (size_t i = 0; i < length; i++)
		port_store(&slot[i], line[i]);
	port_store(&slot[length], (char)0);
}

static void read_log(uint64_t number, char *line)
{
	for (size_t i = 0; i < LINE_BYTES; i++)
		line[i] = port_load(&log_lines[number % LOG_LINES][i]);
}

bool test_log_has(const char *text)
{
	uint64_t end = port_load(&nr_log_lines), at = first_log_line;
	char line[LINE_BYTES];

	if (end - at > LOG_LINES)
		at = end - LOG_LINES;
	for (; at < end; at++) {
		read_log(at, line);
		if (strstr(line, text))
			return true;
	}
	return false;
}

void test_log_clear(void)
{
	first_log_line = port_load(&nr_log_lines);
	port_store(&report_count, (uint64_t)0);
}

/* The newest lines of the running contract, which the place does not print meanwhile. */
static void show_log(void)
{
	uint64_t end = port_load(&nr_log_lines), at = first_log_line;
	char line[LINE_BYTES];

	if (end - at > SHOWN_LOG_LINES)
		at = end - SHOWN_LOG_LINES;
	for (; at < end; at++) {
		read_log(at, line);
		runner_print("# log: %s", line);
	}
}

/* ---- the run ---- */

static bool is_chosen(const struct contract *contract, const char *pattern)
{
	return !pattern || !*pattern || strstr(contract->sentence, pattern) ||
	       strstr(contract->file, pattern);
}

static uint64_t free_pages_now(void)
{
	dolmen_drain_all();
	page_alloc_drain();
	return numa_free_pages(NUMA_NO_NODE);
}

/* True if it passed or was skipped. */
static bool run_one(const struct contract *contract, unsigned number)
{
	uint64_t before = free_pages_now(), after;

	bool were_exact = contract->exact && dolmen_exact(true);

	port_store(&nr_failed_checks, 0u);
	skipped = NULL;
	test_log_clear();
	port_store(&active, true);
	contract->run();
	port_store(&active, false);
	dolmen_fail_pages(0, 0);
	if (contract->exact)
		dolmen_exact(were_exact);
	after = free_pages_now();
	if (before != after)
		contract_failed(
			contract->file, 0, "free pages", "%lu before, %lu after", before, after);

	unsigned nr_failed = port_load(&nr_failed_checks);

	if (nr_failed)
		show_log();
	if (nr_failed)
		runner_print("not ok %u - %s\n# %u checks failed; such a change breaks it: %s",
			number, contract->sentence, nr_failed, contract->broken_by);
	else if (skipped)
		runner_print("ok %u - %s # SKIP %s", number, contract->sentence, skipped);
	else
		runner_print("ok %u - %s", number, contract->sentence);
	return !nr_failed;
}

unsigned runner_run(const char *pattern, uint64_t seed)
{
	const struct contract *end = __stop_contracts;
	unsigned nr = 0, nr_failed = 0;

	for (const struct contract *contract = __start_contracts; contract < end; contract++)
		nr += is_chosen(contract, pattern);
	random_state = seed ? seed : 1;
	runner_print("# seed %lu", random_state);
	runner_print("1..%u", nr);
	nr = 0;
	for (const struct contract *contract = __start_contracts; contract < end; contract++)
		if (is_chosen(contract, pattern))
			nr_failed += !run_one(contract, ++nr);
	if (!nr) {
		runner_print("# no contract has '%s' in its file name or sentence",
			pattern ? pattern : "");
		nr_failed = 1;
	}
	runner_print("%u passed, %u failed", nr ? nr - nr_failed : 0, nr_failed);
	return nr_failed;
}

void runner_list(const char *pattern)
{
	for (const struct contract *contract = __start_contracts; contract < __stop_contracts;
		contract++)
		if (is_chosen(contract, pattern))
			runner_print("%s: %s\n\tbroken by: %s", contract->file, contract->sentence,
				contract->broken_by);
}
