/*
 * The port on Linux, for tests: a thread is a CPU, a signal is an interrupt, and "physical" memory
 * is one large mapping.
 *
 * Interrupts: hosted_self.irq_on says whether this CPU takes them. The signal handler runs the
 * interrupt at once when it is set, and leaves it pending otherwise; port_irq_restore() runs what
 * is pending when it sets the flag again. Only the CPU itself (its thread, and the handler on it)
 * writes irq_on, so compiler barriers suffice.
 *
 * Windows: this port has none (the slab turns interrupts off around the same code), so a fence is
 * an interrupt that does nothing.
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

#define PORT_SECTION_SHIFT   24
#define PORT_PERCPU_RESERVED 64

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

static inline void *port_this_percpu(void)
{
	return hosted_self.percpu;
}

static inline bool port_irq_enabled(void)
{
	return *(volatile bool *)&hosted_self.irq_on;
}

static inline unsigned long port_irq_save(void)
{
	unsigned long flags = port_irq_enabled();

	*(volatile bool *)&hosted_self.irq_on = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return flags;
}

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

static inline void port_relax(void)
{
	/* The CPU that is waited for may be a thread that is not running. */
	extern int sched_yield(void);
	sched_yield();
}

static inline void port_window_fence(unsigned cpu)
{
	hosted_fence(cpu);
}

static inline void *port_phys_to_virt(uint64_t phys)
{
	return hosted_base + phys;
}

static inline uint64_t port_virt_to_phys(const void *virt)
{
	return (uint64_t)virt - (uint64_t)hosted_base;
}

#define port_load(p)		 __atomic_load_n((p), __ATOMIC_RELAXED)
#define port_store(p, v)	 __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define port_load_acquire(p)	 __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define port_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define port_cas(p, old, v)                                                                        \
	__atomic_compare_exchange_n((p), (old), (v), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
#define port_swap(p, v)	     __atomic_exchange_n((p), (v), __ATOMIC_ACQ_REL)
#define port_fetch_add(p, v) __atomic_fetch_add((p), (v), __ATOMIC_ACQ_REL)
#define port_fetch_or(p, v)  __atomic_fetch_or((p), (v), __ATOMIC_ACQ_REL)
#define port_fetch_and(p, v) __atomic_fetch_and((p), (v), __ATOMIC_ACQ_REL)

static inline bool port_has_cas16(void)
{
	return hosted_cas16;
}

static inline bool port_cas16(struct port_pair *p, struct port_pair *old, struct port_pair v)
{
	bool done;

#ifdef HOSTED_TSAN
	__tsan_release(p);
#endif
	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*p), "+a"(old->lo), "+d"(old->hi)
			 : "b"(v.lo), "c"(v.hi)
			 : "memory");
#ifdef HOSTED_TSAN
	__tsan_acquire(p);
#endif
	return done;
}

/* One instruction, so whole against a signal on this thread. Both are evaluated once. */
#define port_count(p, n)                                                                           \
	do {                                                                                       \
		if (sizeof(*(p)) == 8)                                                             \
			__asm__ volatile("addq %1, %0" : "+m"(*(p)) : "er"((uint64_t)(n)));        \
		else                                                                               \
			__asm__ volatile("addl %k1, %0" : "+m"(*(p)) : "er"((uint64_t)(n)));       \
		_Static_assert(sizeof(*(p)) == 8 || sizeof(*(p)) == 4, "a counter is 4 or 8");     \
	} while (0)

#endif
