/*
 * A contract: one sentence about what the allocator promises, and the code that checks it. One file
 * a contract in test/case, the same file in the guest and hosted; files named hw_*.c need the real
 * machine and run in the guest alone.
 *
 *	CONTRACT("a freed object is handed out again", "kfree forgets to set the free bit")
 *	{
 *		void *first = kmalloc(64, GFP_KERNEL);
 *		...
 *		CHECK(second == first, "got %p, not %p", second, first);
 *	}
 *
 * EXACT_CONTRACT is one about slabs themselves, or about wrong frees that are found at once: it
 * runs with dolmen_exact(true). The second string names a change to the code that makes the
 * contract fail. A failed CHECK prints file, line and text, counts the contract as failed and goes
 * on. The runner checks after each contract that the free-page count is back to the exact number it
 * had before (after dolmen_drain_all()), and fails the contract if not.
 */
#ifndef TEST_CONTRACT_H
#define TEST_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dolmen/port.h>

struct contract {
	const char *sentence;
	const char *broken_by;
	const char *file;
	bool exact;
	void (*run)(void);
};

#define CONTRACT_PASTE(a, b)		      a##b
#define CONTRACT_NAME(prefix, n)	      CONTRACT_PASTE(prefix, n)
#define CONTRACT(sentence_, broken_by_)	      CONTRACT_ENTRY(sentence_, broken_by_, false)
#define EXACT_CONTRACT(sentence_, broken_by_) CONTRACT_ENTRY(sentence_, broken_by_, true)

#define CONTRACT_ENTRY(sentence_, broken_by_, exact_)                                              \
	static void contract_run(void);                                                            \
	static const struct contract contract_entry                                                \
		__attribute__((section("contracts"), used, aligned(sizeof(void *)))) = {           \
			.sentence = (sentence_),                                                   \
			.broken_by = (broken_by_),                                                 \
			.file = __FILE__,                                                          \
			.exact = (exact_),                                                         \
			.run = contract_run,                                                       \
	};                                                                                         \
	static void contract_run(void)

#define CHECK(cond, ...)                                                                           \
	((cond) ? (void)0 : contract_failed(__FILE__, __LINE__, #cond, __VA_ARGS__))

/* Prints and counts; the contract goes on. printf-like. */
void contract_failed(const char *file, int line, const char *cond, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Ends the contract's body early as skipped: only for a machine that lacks what the sentence is
 * about. `return` after it.
 */
void contract_skip(const char *why);

/*
 * ---- what a contract may ask of the place it runs in: kernel/ in the guest, test/host/contracts
 * on Linux, test/embed in kernels of others ----
 */

unsigned test_nr_cpus(void); /* CPUs that can run work, >= 1; the contract runs on CPU 0 */

/* Runs fn(arg) on `cpu` and returns when it is done; on this CPU, a call. */
void test_run_on(unsigned cpu, void (*fn)(void *), void *arg);

/* Starts fn(arg) on `cpu` (not 0), and waits for the one started there last. */
void test_start_on(unsigned cpu, void (*fn)(void *), void *arg);
void test_wait_for(unsigned cpu);

/* fn(arg) on every CPU at once, CPU 0 among them; returns when all are done. */
void test_run_on_all(void (*fn)(void *), void *arg);

/*
 * Runs fn on `cpu` from an interrupt handler (hosted: a signal), wherever that CPU is; returns when
 * it ran.
 */
void test_interrupt(unsigned cpu, void (*fn)(void *), void *arg);

/* The same value for the same seed; the runner prints the seed. */
uint64_t test_random(void);

/*
 * The last lines that the allocator logged since test_log_clear(), to check that a report was made.
 */
bool test_log_has(const char *text);
void test_log_clear(void);

#endif
