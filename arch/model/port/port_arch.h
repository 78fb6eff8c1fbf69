/*
 * The port for the model: CPUs are fibers of one thread, and every access to shared memory is a
 * place where the scheduler may go on with another fiber, deliver an interrupt, or let a buffered
 * store become visible.
 *
 * mm/ compiles against this unchanged. Between two accesses a fiber runs alone, so what it does
 * there must be private, which is what the port's macros are about. Every store is logged and taken
 * back before the next program.
 *
 * Interrupts: a CPU's irq_on says whether a pending interrupt fiber may start on it.
 * port_irq_save() and port_irq_restore() are switch points when they change it.
 *
 * Windows are restartable, in the order of arch/x86_64/port/port_windows.h, or have interrupts off:
 * see model_plan.masks_windows. With MODEL_DEFAULTS they are those of port_default.h, with a lock.
 */
#ifndef PORT_ARCH_H
#define PORT_ARCH_H

/* The smallest that holds a block of the largest order: the model's nodes are a section each. */
#define PORT_SECTION_SHIFT 22
#ifndef MODEL_DEFAULTS
#define PORT_HAS_WINDOWS 1
#endif

#define MODEL_STORE_BUFFER 8 /* stores of one CPU that others do not see yet */

struct model_store {
	void *at;
	struct model_fiber *by;
	const void *freeing; /* what `by` was giving back then */
	uint64_t value;
	uint32_t bytes;
	bool unlocks; /* gives back a lock */
};

struct model_cpu {
	unsigned cpu;
	bool irq_on;
	void *percpu;
	struct model_fiber *interrupt; /* the handler under way, NULL: none */
	unsigned nr_waiting;	       /* interrupts that have not started */
	unsigned nr_stores;	       /* in the buffer, oldest first */
	struct model_store stores[MODEL_STORE_BUFFER];
};

extern struct model_cpu *model_self; /* the CPU of the running fiber */
extern char *model_base;	     /* of physical address 0 */
extern bool model_cas16_works;	     /* does not change after start */

uint64_t model_load(const void *at, unsigned bytes);
void model_store(void *at, uint64_t value, unsigned bytes);
bool model_cas(void *at, void *old, uint64_t value, unsigned bytes);
uint64_t model_swap(void *at, uint64_t value, unsigned bytes);
uint64_t model_fetch_add(void *at, uint64_t value, unsigned bytes);
uint64_t model_fetch_or(void *at, uint64_t value, unsigned bytes);
uint64_t model_fetch_and(void *at, uint64_t value, unsigned bytes);
bool model_cas16(struct port_pair *at, struct port_pair *old, struct port_pair value);
void model_count(void *at, uint64_t value, unsigned bytes);
unsigned long model_irq_save(void);
void model_irq_restore(void);
void model_relax(void);
void *model_slot_pop(uint32_t offset, const uint16_t *home);
bool model_slot_push(uint32_t offset, void *item, uint16_t home);
void model_window_fence(unsigned cpu);

#define MODEL_TYPE(p) __typeof__(*(p))

#define port_load(p)	     ((MODEL_TYPE(p))model_load((p), sizeof(*(p))))
#define port_load_acquire(p) port_load(p)

/* The unused assignment has the types checked. */
#define port_store(p, v) ((void)sizeof(*(p) = (v)), model_store((p), (uint64_t)(v), sizeof(*(p))))

#define port_store_release(p, v) port_store(p, v)
#define port_cas(p, old, v)	 model_cas((p), (old), (uint64_t)(v), sizeof(*(p)))
#define port_swap(p, v)		 ((MODEL_TYPE(p))model_swap((p), (uint64_t)(v), sizeof(*(p))))
#define port_fetch_add(p, v)                                                                       \
	({ (MODEL_TYPE(p)) model_fetch_add((p), (uint64_t)(v), sizeof(*(p))); })
#define port_fetch_or(p, v)   ((MODEL_TYPE(p))model_fetch_or((p), (uint64_t)(v), sizeof(*(p))))
#define port_fetch_and(p, v)  ((MODEL_TYPE(p))model_fetch_and((p), (uint64_t)(v), sizeof(*(p))))
#define port_cas16(p, old, v) model_cas16((p), (old), (v))
#define port_count(p, n)      model_count((p), (uint64_t)(n), sizeof(*(p)))

static inline unsigned port_cpu(void)
{
	return model_self->cpu;
}
#define port_cpu port_cpu

static inline void *port_this_percpu(void)
{
	return model_self->percpu;
}
#define port_this_percpu port_this_percpu

static inline bool port_irq_enabled(void)
{
	return model_self->irq_on;
}
#define port_irq_enabled port_irq_enabled

static inline unsigned long port_irq_save(void)
{
	return model_self->irq_on ? model_irq_save() : 0;
}
#define port_irq_save port_irq_save

static inline void port_irq_restore(unsigned long flags)
{
	if (flags)
		model_irq_restore();
}
#define port_irq_restore port_irq_restore

static inline void port_relax(void)
{
	model_relax();
}
#define port_relax port_relax

#ifndef MODEL_DEFAULTS
static inline void *port_slot_pop(uint32_t offset)
{
	return model_slot_pop(offset, NULL);
}

static inline void *port_slot_pop_home(uint32_t offset, uint16_t home)
{
	return model_slot_pop(offset, &home);
}

static inline bool port_slot_push(uint32_t offset, void *item, uint16_t home)
{
	return model_slot_push(offset, item, home);
}

static inline void port_window_fence(unsigned cpu)
{
	model_window_fence(cpu);
}
#define port_window_fence port_window_fence
#endif

#define PORT_DIRECT_BASE (uint64_t) model_base

static inline bool port_has_cas16(void)
{
	return model_cas16_works;
}
#define port_has_cas16 port_has_cas16

#endif
