/*
 * The port: everything that mm/ asks of the machine, and the only way in which it asks.
 *
 * A host supplies one header, "port_arch.h", on the include path of the library's sources, and
 * links the functions at the end of this one. What port_arch.h defines is marked by a macro of the
 * same name, so that the rest gets a default (port_default.h, for x86_64 in ring 0) or stops the
 * build with a sentence:
 *
 *	extern uint64_t hhdm_offset;
 *	#define PORT_DIRECT_BASE hhdm_offset
 *
 *	static inline unsigned port_cpu(void) { return my_cpu()->number; }
 *	#define port_cpu port_cpu
 *
 * is a whole one, and -DPORT_ONE_CPU -DPORT_DIRECT_BASE=0 on the command line is one without a
 * header. docs/port.md tells what each opt-in saves.
 *
 * Constants
 *	PORT_ONE_CPU		there is one CPU, and port_cpu() is not asked for
 *	PORT_DIRECT_BASE	virtual minus physical address, any expression; gives the two
 *				functions under Addresses
 *	PORT_SECTION_SHIFT	log2 of the bytes in a memmap section; 24: 256 KiB for 16 MiB
 *	PORT_PERCPU_RESERVED	bytes at the start of each per-CPU area that belong to the port; the
 *				8 bytes at 8 are the library's all the same. 0
 *
 * CPUs and interrupts
 *	unsigned port_cpu(void)
 *		dense id of this CPU; stable while interrupts are off
 *	void *port_this_percpu(void)
 *		start of this CPU's per-CPU area; as stable. By default an array by port_cpu(). Who
 *		defines it links port_set_percpu()
 *	unsigned long port_irq_save(void)
 *		interrupts off; returns the state before; nests
 *	void port_irq_restore(unsigned long)
 *		back to the state that the matching save returned
 *	bool port_irq_enabled(void)
 *	void port_relax(void)
 *		inside a loop that waits for another CPU
 *
 * Windows: steps on this CPU's area that no interrupt on it, and no move of the thread to another
 * CPU, ever sees half done. By default interrupts are off around them, and a lock of the area is
 * held, so that another CPU can wait for their end. A port with a fence of its own goes without
 * the lock; one with PORT_HAS_WINDOWS defines the first three, and a fence.
 *	void *port_slot_pop(uint32_t offset)
 *		takes the last item off the stack of the slot at `offset` of the area; NULL: it is
 *		empty
 *	void *port_slot_pop_home(uint32_t offset, uint16_t home)
 *		the same if the slot is of that home; else NULL
 *	bool port_slot_push(uint32_t offset, void *item, uint16_t home)
 *		puts it on; false: the stack is full, or the slot is of another home
 *	void port_window_fence(unsigned cpu)
 *		returns when `cpu` is in no window, and no stretch with interrupts off (without a
 *		fence of the port's own: and with the area's lock), that began before the call;
 *		what such stored can be seen here, and what was stored here can be seen by later
 *		ones; called with interrupts on, or for this CPU
 *
 * Addresses
 *	void *port_phys_to_virt(uint64_t phys)
 *	uint64_t port_virt_to_phys(const void *virt)
 *		direct map: a bijection over all usable ranges that keeps the low 22 bits. The
 *		second takes ANY pointer: one outside the direct map gives a huge or unmapped
 *		physical address, never a wrong valid one.
 *
 * Access to shared memory. In production each is exactly one access; a model build makes each a
 * switch point. `p` points to an integer or pointer of 1, 2, 4 or 8 bytes. A field of a struct that
 * two CPUs can reach (such fields carry a prefix: pg_, kc_, kn_, cc_ ...) is touched through these
 * and nothing else.
 *	port_load(p)			relaxed
 *	port_store(p, v)		relaxed
 *	port_load_acquire(p)
 *	port_store_release(p, v)
 *	bool port_cas(p, &old, v)	acquire and release; on failure `old` is what was there
 *	port_swap(p, v)			acquire and release, returns what was there
 *	port_fetch_add(p, v)		acquire and release, returns what was there
 *	port_fetch_or(p, v)		acquire and release, returns what was there
 *	port_fetch_and(p, v)		acquire and release, returns what was there
 *	bool port_cas16(struct port_pair *p, struct port_pair *old, struct port_pair v)
 *					CMPXCHG16B, acquire and release. Only when port_has_cas16().
 *	void port_count(p, n)		*p += n for a counter that only this CPU writes: whole
 *					against an interrupt on this CPU, not other CPUs
 *	bool port_has_cas16(void)	false: the slab uses page locks. Constant.
 *
 * For a port that watches who uses memory (a sanitizer). Empty, their arguments not evaluated,
 * unless port_arch.h defines them.
 *	port_object_taken(p, bytes)	somebody's: right after a block or an object was taken
 *	port_object_freed(p, bytes)	nobody's: right before the step that lets others take them
 *
 * When a wrong call by the host is reported, after the line; empty unless defined.
 *	void port_backtrace(void)	as port_log(): any context, does not allocate
 *
 * The semantics of the access macros are those of the C11 atomics with the orders named.
 */
#ifndef DOLMEN_PORT_H
#define DOLMEN_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dolmen/limits.h>
#include <dolmen/names.h>

/* Two words that change together. */
struct port_pair {
	uint64_t lo, hi;
} __attribute__((aligned(16)));

/* An array that grows and shrinks at its end. */
struct port_stack {
	uint32_t ps_count; /* items in it; a window of its CPU, or who else owns the stack */
	uint32_t ps_max;   /* what ps_count may reach; as ps_count */
	void *ps_item[];
};

/* Where a CPU keeps a stack, and what may come onto it. */
struct port_slot {
	struct port_stack *sl_stack;
	uint16_t sl_home; /* whatever the caller takes it for */
};

#define PORT_NO_HOME 0xffffu

/* What each per-CPU area begins with. */
struct port_area {
	uint64_t pa_port;
	uint16_t pa_home; /* PORT_NO_HOME, for ever: offset 0 is a slot that takes nothing */
	uint32_t pa_lock; /* of a port without a fence */
};

/* By CPU; NULL past the last one. Written once, before any other CPU runs. */
extern char *percpu_areas[DOLMEN_MAX_CPUS];

#if __has_include(<port_arch.h>)
#include <port_arch.h>
#endif

#include <dolmen/port_default.h>

#if PORT_SECTION_SHIFT < PAGE_SHIFT + DOLMEN_MAX_ORDER
#error "PORT_SECTION_SHIFT: a block of the largest order must lie in one section"
#endif

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* ---- what the host links ---- */

#ifdef __cplusplus
extern "C" {
#endif

/* One line of text without a newline. Any context, interrupts on or off; must not allocate. */
void port_log(const char *line);

/*
 * Ends the host with a message. Called only when the host asked for it
 * (dolmen_init.panic_on_report) or when memory that the allocator itself owns is found destroyed.
 * Does not return.
 */
void port_panic(const char *line) __attribute__((noreturn));

/*
 * Linked only by the host whose port_arch.h defines port_this_percpu().
 * The area that it must return on `cpu` from dolmen_cpu_online(cpu) on. The first
 * PORT_PERCPU_RESERVED bytes are the port's, zeroed. For the boot CPU the port switches over in
 * this call.
 */
void port_set_percpu(unsigned cpu, void *area);

#ifdef __cplusplus
}
#endif

#endif
