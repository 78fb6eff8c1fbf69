/*
 * What port_arch.h does not define: see port.h, which includes this. For x86_64 in ring 0, with a
 * per-CPU area found by the CPU's number, so that no segment base is asked for.
 */
#ifndef DOLMEN_PORT_DEFAULT_H
#define DOLMEN_PORT_DEFAULT_H

#ifndef __x86_64__
#error "Dolmen is for x86_64: compile it for that, with gcc or clang"
#endif

/* ---- constants ---- */

#ifndef PORT_SECTION_SHIFT
#define PORT_SECTION_SHIFT 24
#endif

#ifndef PORT_PERCPU_RESERVED
#define PORT_PERCPU_RESERVED 0
#endif

#ifdef PORT_ONE_CPU
#define PORT_MAX_CPUS 1
#else
#define PORT_MAX_CPUS DOLMEN_MAX_CPUS
#endif

/* ---- access to shared memory ---- */

/*
 * Aligned loads and stores of up to 8 bytes are single accesses on this machine and ordered as
 * acquire and release need; the builtins only keep the compiler honest.
 */
#ifndef port_load
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
#endif

/* The lock prefix orders everything around it; the builtin would call libatomic. */
static inline bool port_cmpxchg16b(struct port_pair *p, struct port_pair *old, struct port_pair v)
{
	bool done;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*p), "+a"(old->lo), "+d"(old->hi)
			 : "b"(v.lo), "c"(v.hi)
			 : "memory");
	return done;
}

#ifndef port_cas16
#define port_cas16 port_cmpxchg16b
#endif

/* One add to memory: an interrupt sees it whole, another CPU may not. */
#ifndef port_count
#define port_count(p, n)                                                                           \
	do {                                                                                       \
		_Static_assert(sizeof(*(p)) == 8 || sizeof(*(p)) == 4, "a counter is 4 or 8");     \
		if (sizeof(*(p)) == 8)                                                             \
			__asm__ volatile("addq %1, %0" : "+m"(*(p)) : "er"((int64_t)(n)) : "cc");  \
		else                                                                               \
			__asm__ volatile("addl %k1, %0" : "+m"(*(p)) : "er"((int64_t)(n)) : "cc"); \
	} while (0)
#endif

/* CPUID leaf 1: whether there is CMPXCHG16B. */
static inline bool port_cpuid_cas16(void)
{
	uint32_t a = 1, b, c = 0, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return c >> 13 & 1;
}

/* Set with percpu_areas, on the boot CPU, before any other runs. */
extern bool cpu_has_cas16;

#ifndef port_has_cas16
static inline bool port_has_cas16(void)
{
	return cpu_has_cas16;
}
#endif

#ifndef port_object_taken
#define PORT_WATCHES_OBJECTS	    0
#define port_object_taken(p, bytes) ((void)sizeof(p), (void)sizeof(bytes))
#define port_object_freed(p, bytes) ((void)sizeof(p), (void)sizeof(bytes))
#else
#define PORT_WATCHES_OBJECTS 1
#endif

#ifndef port_backtrace
#define port_backtrace() ((void)0)
#endif

/* ---- CPUs and interrupts ---- */

#if defined(port_irq_save) != defined(port_irq_restore) ||                                         \
	defined(port_irq_save) != defined(port_irq_enabled)
#error "port_arch.h: port_irq_save, port_irq_restore and port_irq_enabled go together"
#endif

#ifndef port_irq_save
#define PORT_RFLAGS_IF 0x200ul

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
#endif

#ifndef port_relax
static inline void port_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}
#endif

#if defined(PORT_ONE_CPU) && defined(port_cpu)
#error "port_arch.h: with PORT_ONE_CPU there is no port_cpu() to define"
#elif defined(PORT_ONE_CPU)
static inline unsigned port_cpu(void)
{
	return 0;
}
#elif !defined(port_cpu)
#error "port_arch.h: define port_cpu(), the dense number of this CPU, or PORT_ONE_CPU"
#endif

#ifndef port_this_percpu
#define PORT_FINDS_PERCPU 1

static inline void *port_this_percpu(void)
{
	return port_load(&percpu_areas[port_cpu()]);
}
#endif

/* ---- addresses ---- */

#if defined(PORT_DIRECT_BASE) && !defined(port_phys_to_virt) && !defined(port_virt_to_phys)
static inline void *port_phys_to_virt(uint64_t phys)
{
	return (void *)(phys + (uint64_t)(PORT_DIRECT_BASE));
}

static inline uint64_t port_virt_to_phys(const void *virt)
{
	return (uintptr_t)virt - (uint64_t)(PORT_DIRECT_BASE);
}
#elif !defined(port_phys_to_virt) || !defined(port_virt_to_phys)
#error "port_arch.h: define PORT_DIRECT_BASE, or port_phys_to_virt() and port_virt_to_phys()"
#elif defined(PORT_DIRECT_BASE)
#error "port_arch.h: PORT_DIRECT_BASE already gives port_phys_to_virt() and port_virt_to_phys()"
#endif

/* ---- windows ---- */

#if defined(PORT_HAS_WINDOWS) && !defined(port_window_fence) && !defined(PORT_ONE_CPU)
#error "port_arch.h: PORT_HAS_WINDOWS wants port_window_fence(), which waits for their end"
#endif

/*
 * The lock of an area: what a port without a fence holds in each window, and around each longer
 * step on stacks that windows use. Interrupts off; nothing but a zone's lock is taken under it.
 */
#if defined(port_window_fence) || defined(PORT_ONE_CPU)
static inline void port_area_lock(struct port_area *area)
{
	(void)area;
}

static inline void port_area_unlock(struct port_area *area)
{
	(void)area;
}
#else
static inline void port_area_lock(struct port_area *area)
{
	while (port_swap(&area->pa_lock, 1u))
		while (port_load(&area->pa_lock))
			port_relax();
}

static inline void port_area_unlock(struct port_area *area)
{
	port_store_release(&area->pa_lock, 0u);
}
#endif

/* This CPU's, locked. */
static inline struct port_area *port_this_area_lock(void)
{
	struct port_area *area = (struct port_area *)port_this_percpu();

	port_area_lock(area);
	return area;
}

#if defined(PORT_ONE_CPU) && !defined(port_window_fence)
static inline void port_window_fence(unsigned cpu)
{
	(void)cpu;
}
#elif !defined(port_window_fence)
static inline void port_window_fence(unsigned cpu)
{
	struct port_area *area = (struct port_area *)port_load(&percpu_areas[cpu]);
	unsigned long flags = port_irq_save();

	port_area_lock(area);
	port_area_unlock(area);
	port_irq_restore(flags);
}
#endif

#ifndef PORT_HAS_WINDOWS
static inline struct port_slot *port_slot_at(struct port_area *area, uint32_t offset)
{
	return (struct port_slot *)((char *)area + offset);
}

static inline void *port_pop(struct port_slot *slot)
{
	struct port_stack *stack = port_load(&slot->sl_stack);
	uint32_t count = port_load(&stack->ps_count);

	if (!count)
		return NULL;
	port_store(&stack->ps_count, count - 1);
	return port_load(&stack->ps_item[count - 1]);
}

static inline bool port_push(struct port_slot *slot, void *item)
{
	struct port_stack *stack = port_load(&slot->sl_stack);
	uint32_t count = port_load(&stack->ps_count);

	if (count >= port_load(&stack->ps_max))
		return false;
	port_store(&stack->ps_item[count], item);
	port_store(&stack->ps_count, count + 1);
	return true;
}

static inline void *port_slot_pop(uint32_t offset)
{
	unsigned long flags = port_irq_save();
	struct port_area *area = port_this_area_lock();
	void *item = port_pop(port_slot_at(area, offset));

	port_area_unlock(area);
	port_irq_restore(flags);
	return item;
}

static inline void *port_slot_pop_home(uint32_t offset, uint16_t home)
{
	unsigned long flags = port_irq_save();
	struct port_area *area = port_this_area_lock();
	struct port_slot *slot = port_slot_at(area, offset);
	void *item = port_load(&slot->sl_home) == home ? port_pop(slot) : NULL;

	port_area_unlock(area);
	port_irq_restore(flags);
	return item;
}

static inline bool port_slot_push(uint32_t offset, void *item, uint16_t home)
{
	unsigned long flags = port_irq_save();
	struct port_area *area = port_this_area_lock();
	struct port_slot *slot = port_slot_at(area, offset);
	bool taken = port_load(&slot->sl_home) == home && port_push(slot, item);

	port_area_unlock(area);
	port_irq_restore(flags);
	return taken;
}
#endif

#endif
