/*
 * The port: everything that mm/ asks of the machine, and the only way in which it asks.
 *
 * A port supplies "port_arch.h" on the include path (arch/x86_64/port, arch/hosted/port). It
 * defines the constants and static inline functions below, and the host links the few functions
 * declared here.
 *
 * Constants
 *	PORT_SECTION_SHIFT	log2 of the bytes in a memmap section; 24: 256 KiB for 16 MiB
 *	PORT_PERCPU_RESERVED	bytes at the start of each per-CPU area that belong to the port
 *
 * The word at 8 of each per-CPU area is the library's: with it, offset 0 is a slot of no home.
 *
 * CPUs and interrupts
 *	unsigned port_cpu(void)
 *		dense id of this CPU; stable while interrupts are off
 *	void *port_this_percpu(void)
 *		start of this CPU's per-CPU area; as stable
 *	unsigned long port_irq_save(void)
 *		interrupts off; returns the state before; nests
 *	void port_irq_restore(unsigned long)
 *		back to the state that the matching save returned
 *	bool port_irq_enabled(void)
 *	void port_relax(void)
 *		inside a loop that waits for another CPU
 *
 * Windows: steps on this CPU's area that no interrupt on it, and no move of the thread to another
 * CPU, ever sees half done. A port with restartable windows defines PORT_HAS_WINDOWS and the first
 * three functions; without, interrupts are off around the same steps.
 *	void *port_slot_pop(uint32_t offset)
 *		takes the last item off the stack of the slot at `offset` of the area; NULL: it is
 *		empty
 *	void *port_slot_pop_home(uint32_t offset, uint16_t home)
 *		the same if the slot is of that home; else NULL
 *	bool port_slot_push(uint32_t offset, void *item, uint16_t home)
 *		puts it on; false: the stack is full, or the slot is of another home
 *	void port_window_fence(unsigned cpu)
 *		returns when `cpu` is in no window, and no stretch with interrupts off, that began
 *		before the call; what such stored can be seen here, and what was stored here can
 *		be seen by later ones; called with interrupts on, or for this CPU
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
 * The semantics of the access macros are those of the C11 atomics with the orders named.
 */
#ifndef DOLMEN_PORT_H
#define DOLMEN_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dolmen/limits.h>

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

#include <port_arch.h>

#ifdef port_object_taken
#define PORT_WATCHES_OBJECTS 1
#else
#define PORT_WATCHES_OBJECTS	    0
#define port_object_taken(p, bytes) ((void)sizeof(p), (void)sizeof(bytes))
#define port_object_freed(p, bytes) ((void)sizeof(p), (void)sizeof(bytes))
#endif

#ifndef PORT_HAS_WINDOWS
static inline struct port_slot *port_slot(uint32_t offset)
{
	return (struct port_slot *)((char *)port_this_percpu() + offset);
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

static inline void *port_slot_pop(uint32_t offset)
{
	unsigned long flags = port_irq_save();
	void *item = port_pop(port_slot(offset));

	port_irq_restore(flags);
	return item;
}

static inline void *port_slot_pop_home(uint32_t offset, uint16_t home)
{
	unsigned long flags = port_irq_save();
	struct port_slot *slot = port_slot(offset);
	void *item = port_load(&slot->sl_home) == home ? port_pop(slot) : NULL;

	port_irq_restore(flags);
	return item;
}

static inline bool port_slot_push(uint32_t offset, void *item, uint16_t home)
{
	unsigned long flags = port_irq_save();
	struct port_slot *slot = port_slot(offset);
	bool fits = false;

	if (port_load(&slot->sl_home) == home) {
		struct port_stack *stack = port_load(&slot->sl_stack);
		uint32_t count = port_load(&stack->ps_count);

		fits = count < port_load(&stack->ps_max);
		if (fits) {
			port_store(&stack->ps_item[count], item);
			port_store(&stack->ps_count, count + 1);
		}
	}
	port_irq_restore(flags);
	return fits;
}
#endif

_Static_assert(PORT_SECTION_SHIFT >= PAGE_SHIFT + DOLMEN_MAX_ORDER,
	"a block of the largest order must lie in one section");

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* ---- what the host links ---- */

/* One line of text without a newline. Any context, interrupts on or off; must not allocate. */
void port_log(const char *line);

/*
 * Ends the host with a message. Called only when the host asked for it
 * (dolmen_init.panic_on_report) or when memory that the allocator itself owns is found destroyed.
 * Does not return.
 */
void port_panic(const char *line) __attribute__((noreturn));

/*
 * The area that port_this_percpu() must return on `cpu` from dolmen_cpu_online(cpu) on. The first
 * PORT_PERCPU_RESERVED bytes are the port's, zeroed. For the boot CPU the port switches over in
 * this call.
 */
void port_set_percpu(unsigned cpu, void *area);

#endif
