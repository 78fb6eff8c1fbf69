/*
 * The port for the bare machine: x86_64, ring 0, GS base at this CPU's per-CPU area.
 *
 * The area's first word is its own address, so that one load gives it; the port's part of it is
 * struct cpu (arch/x86_64/cpu.h), whose first fields this header knows by offset. Aligned loads and
 * stores of up to 8 bytes are single accesses on this machine and ordered as acquire and release
 * need; the builtins only keep the compiler honest.
 */
#ifndef PORT_ARCH_H
#define PORT_ARCH_H

#define PORT_SECTION_SHIFT   24
#define PORT_PERCPU_RESERVED 512

/*
 * Where the direct map starts and what it can hold: 64 TiB, aligned far beyond the low 22 bits that
 * it keeps.
 */
#define PORT_DIRECT_BASE  0xffff800000000000ul
#define PORT_DIRECT_BYTES (1ul << 46)

#define PORT_GS_SELF 0 /* offsets into struct cpu */
#define PORT_GS_CPU  16

#define PORT_RFLAGS_IF 0x200ul

/* Set once on the boot CPU from CPUID.1:ECX[13], before any other CPU runs. */
extern bool cpu_has_cx16;

static inline unsigned port_cpu(void)
{
	unsigned cpu;

	__asm__ volatile("movl %%gs:%c1, %0" : "=r"(cpu) : "i"(PORT_GS_CPU));
	return cpu;
}

static inline void *port_this_percpu(void)
{
	void *area;

	__asm__ volatile("movq %%gs:%c1, %0" : "=r"(area) : "i"(PORT_GS_SELF));
	return area;
}

static inline unsigned long port_irq_save(void)
{
	unsigned long flags;

	__asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
	return flags;
}

static inline void port_irq_restore(unsigned long flags)
{
	if (__builtin_expect(flags & PORT_RFLAGS_IF, PORT_RFLAGS_IF))
		__asm__ volatile("sti" : : : "memory");
	else
		__asm__ volatile("" : : : "memory");
}

static inline bool port_irq_enabled(void)
{
	unsigned long flags;

	__asm__ volatile("pushfq; popq %0" : "=r"(flags) : : "memory");
	return flags & PORT_RFLAGS_IF;
}

static inline void port_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}

/*
 * By IPI; at once for the calling CPU, which is in no window while it is here. Defined in
 * arch/x86_64/smp.c.
 */
void port_window_fence(unsigned cpu);

static inline void *port_phys_to_virt(uint64_t phys)
{
	return (void *)(phys + PORT_DIRECT_BASE);
}

/*
 * One subtraction for any pointer: addresses below the direct map (the image, NULL, user-like ones)
 * come out at 128 TiB and above, those above it at 64 TiB and above, and no usable range reaches
 * either: see direct_map_build().
 */
static inline uint64_t port_virt_to_phys(const void *virt)
{
	return (uintptr_t)virt - PORT_DIRECT_BASE;
}

#define port_load(p)		 __atomic_load_n(p, __ATOMIC_RELAXED)
#define port_store(p, v)	 __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define port_load_acquire(p)	 __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define port_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define port_cas(p, old, v)                                                                        \
	__atomic_compare_exchange_n(p, old, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
#define port_swap(p, v)	     __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL)
#define port_fetch_add(p, v) __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL)
#define port_fetch_or(p, v)  __atomic_fetch_or(p, v, __ATOMIC_ACQ_REL)
#define port_fetch_and(p, v) __atomic_fetch_and(p, v, __ATOMIC_ACQ_REL)

/* The lock prefix orders everything around it; the builtin would call libatomic. */
static inline bool port_cas16(struct port_pair *p, struct port_pair *old, struct port_pair v)
{
	bool done;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*p), "+a"(old->lo), "+d"(old->hi)
			 : "b"(v.lo), "c"(v.hi)
			 : "memory");
	return done;
}

/* One add to memory: an interrupt sees it whole, another CPU may not. */
#define port_count(p, n)                                                                           \
	do {                                                                                       \
		if (sizeof(*(p)) == 8)                                                             \
			__asm__ volatile("addq %1, %0" : "+m"(*(p)) : "er"((int64_t)(n)) : "cc");  \
		else                                                                               \
			__asm__ volatile("addl %k1, %0" : "+m"(*(p)) : "er"((int64_t)(n)) : "cc"); \
	} while (0)

static inline bool port_has_cas16(void)
{
	return cpu_has_cx16;
}

#ifdef DOLMEN_PAUSES
#include "port_pauses.h"
#elif !defined(DOLMEN_NO_WINDOWS)
#include "port_windows.h"
#endif

#endif
