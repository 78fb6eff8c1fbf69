/*
 * The port on Linux, for tests: a thread is a CPU, a signal is an interrupt, and "physical" memory
 * is one large mapping.
 *
 * Interrupts: hosted_self.irq_on says whether this CPU takes them. The signal handler runs the
 * interrupt at once when it is set, and leaves it pending otherwise; port_irq_restore() runs what
 * is pending when it sets the flag again. Only the CPU itself (its thread, and the handler on it)
 * writes irq_on, so compiler barriers suffice.
 *
 * Windows: this port has none (interrupts are off around the same code), so a fence is an interrupt
 * that does nothing. With HOSTED_DEFAULTS what a small kernel leaves to port_default.h is left to
 * it here too: areas by CPU, and a lock instead of a fence.
 */
#ifndef PORT_ARCH_H
#define PORT_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __SANITIZE_THREAD__
#define HOSTED_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HOSTED_TSAN 1
#endif
#endif
#ifdef HOSTED_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* AddressSanitizer: what is free in mm/ may not be touched. */
#ifdef __SANITIZE_ADDRESS__
#define HOSTED_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOSTED_ASAN 1
#endif
#endif
#ifdef HOSTED_ASAN
#include <sanitizer/asan_interface.h>
#define port_object_taken(p, bytes) __asan_unpoison_memory_region((p), (bytes))
#define port_object_freed(p, bytes) __asan_poison_memory_region((p), (bytes))
#endif

struct hosted_self {
	bool irq_on;
	bool irq_pending; /* an interrupt came while irq_on was false */
	unsigned cpu;
	void *percpu;
};

extern __thread struct hosted_self hosted_self __attribute__((tls_model("initial-exec")));
extern char *hosted_base; /* of physical address 0 */
extern bool hosted_cas16; /* does not change after start */

void hosted_interrupt_pending(void);
void hosted_fence(unsigned cpu);

static inline unsigned port_cpu(void)
{
	return hosted_self.cpu;
}
#define port_cpu port_cpu

#ifndef HOSTED_DEFAULTS
static inline void *port_this_percpu(void)
{
	return hosted_self.percpu;
}
#define port_this_percpu port_this_percpu
#endif

static inline bool port_irq_enabled(void)
{
	return *(volatile bool *)&hosted_self.irq_on;
}
#define port_irq_enabled port_irq_enabled

static inline unsigned long port_irq_save(void)
{
	unsigned long flags = port_irq_enabled();

	*(volatile bool *)&hosted_self.irq_on = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return flags;
}
#define port_irq_save port_irq_save

static inline void port_irq_restore(unsigned long flags)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!flags)
		return;
	*(volatile bool *)&hosted_self.irq_on = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(*(volatile bool *)&hosted_self.irq_pending, 0))
		hosted_interrupt_pending();
}
#define port_irq_restore port_irq_restore

static inline void port_relax(void)
{
	/* The CPU that is waited for may be a thread that is not running. */
	extern int sched_yield(void);
	sched_yield();
}
#define port_relax port_relax

#ifndef HOSTED_DEFAULTS
#define port_window_fence hosted_fence
#endif

#define PORT_DIRECT_BASE (uint64_t) hosted_base

static inline bool port_has_cas16(void)
{
	return hosted_cas16;
}
#define port_has_cas16 port_has_cas16

/* For the sanitizer of threads, which does not see what the instruction orders. */
#ifdef HOSTED_TSAN
#define port_cas16(p, old, v)                                                                      \
	({                                                                                         \
		__tsan_release(p);                                                                 \
		bool cas16_done = port_cmpxchg16b((p), (old), (v));                                \
		__tsan_acquire(p);                                                                 \
		cas16_done;                                                                        \
	})
#endif

#endif
