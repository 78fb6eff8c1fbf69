/*
 * Accesses to shared memory: switch point, store buffer, log of what was there before.
 *
 * Every write that reaches memory goes through put(), which logs the old value; model_end() takes
 * all back in reverse. What mm/ writes without the port's macros is memory that it owns alone and
 * fills before anyone reads it, and so need not be undone.
 *
 * Store buffers: as on x86, plain stores of a CPU become visible to others later, in order; the
 * CPU itself, and an interrupt on it, reads them at once; a locked access first makes all of its
 * own CPU visible. When the others become visible is the scheduler's choice.
 *
 * Locks are recognised, not declared: an exchange of 0 for 1 takes one, a store-release of 0 by
 * the fiber that has it gives it back. Held with interrupts on, or written by somebody else, is a
 * violation.
 */
#include "arch/model/model.h"

#include <string.h>

#define LOG_MAX	  (1u << 20)
#define LOCKS_MAX 32

struct logged {
	void *at;
	uint64_t old;
	uint32_t bytes;
};

struct held_lock {
	void *at;
	struct model_fiber *holder; /* NULL: code outside model_run() */
	bool leaving;		    /* given back, but the store is still in a buffer */
};

struct model_cpu model_cpus[MODEL_CPUS] = {{.cpu = 0}, {.cpu = 1}, {.cpu = 2}};
_Static_assert(MODEL_CPUS == 3, "each knows its number");
struct model_cpu *model_self = &model_cpus[0];
char *model_base;
bool model_cas16_works = true;
uint8_t model_lines[MODEL_MEMORY_BYTES / 64];

bool model_tracing;
struct model_event model_events[MODEL_EVENTS];
uint64_t model_nr_events;
uint64_t model_nr_restarts, model_nr_fenced;

static struct logged undo_log[LOG_MAX];
static unsigned nr_logged;
static bool logging; /* between model_begin() and model_end() */
static struct held_lock locks[LOCKS_MAX];
static unsigned nr_locks;
static struct model_store *flushing; /* the store that leaves a buffer just now */

struct model_fiber *model_actor(void)
{
	return flushing ? flushing->by : model_current;
}

const void *model_actor_frees(void)
{
	if (flushing)
		return flushing->freeing;
	return model_current ? model_current->freeing : NULL;
}

static inline void point(const void *at, enum model_access access)
{
	if (__builtin_expect(--model_countdown <= 0, 0))
		model_decide(at, access);
}

static void trace(const char *what, const void *at, uint64_t value, unsigned bytes, void *caller)
{
	model_events[model_nr_events++ % MODEL_EVENTS] = (struct model_event){.caller = caller,
		.at = at,
		.value = value,
		.what = what,
		.cpu = (uint8_t)model_self->cpu,
		.fiber = model_current ? model_current->is_interrupt : 0,
		.bytes = (uint8_t)bytes};
}

#define TRACE(what, at, value, bytes)                                                              \
	do {                                                                                       \
		if (__builtin_expect(model_tracing, 0))                                            \
			trace((what), (at), (value), (bytes), __builtin_return_address(0));        \
	} while (0)

/* ---- memory itself ---- */

static inline uint64_t get(const void *at, unsigned bytes)
{
	switch (bytes) {
	case 1:
		return *(const volatile uint8_t *)at;
	case 2:
		return *(const volatile uint16_t *)at;
	case 4:
		return *(const volatile uint32_t *)at;
	default:
		return *(const volatile uint64_t *)at;
	}
}

static inline void set(void *at, uint64_t value, unsigned bytes)
{
	switch (bytes) {
	case 1:
		*(volatile uint8_t *)at = (uint8_t)value;
		break;
	case 2:
		*(volatile uint16_t *)at = (uint16_t)value;
		break;
	case 4:
		*(volatile uint32_t *)at = (uint32_t)value;
		break;
	default:
		*(volatile uint64_t *)at = value;
	}
}

static inline void put(void *at, uint64_t value, unsigned bytes)
{
	if (logging) {
		if (nr_logged == LOG_MAX)
			model_fail("a program that makes more than %u stores", LOG_MAX);
		undo_log[nr_logged++] = (struct logged){at, get(at, bytes), bytes};
	}
	set(at, value, bytes);
}

static inline enum model_line line_of(const void *at)
{
	uint64_t offset = (uint64_t)((const char *)at - model_base);

	return offset < MODEL_MEMORY_BYTES ? model_lines[offset / 64] : LINE_OTHER;
}

static inline void put_watched(void *at, uint64_t value, unsigned bytes)
{
	if (line_of(at) == LINE_OTHER) {
		put(at, value, bytes);
		return;
	}
	uint64_t old = get(at, bytes);

	put(at, value, bytes);
	watch_stored(at, old, value, bytes);
}

void model_memory_begin(void)
{
	for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++) {
		model_cpus[cpu].nr_stores = 0;
		model_cpus[cpu].interrupt = NULL;
		model_cpus[cpu].nr_waiting = 0;
		model_cpus[cpu].irq_on = true;
	}
	flushing = NULL;
	nr_logged = 0;
	nr_locks = 0;
	logging = true;
}

void model_end(void)
{
	logging = false;
	while (nr_logged) {
		const struct logged *entry = &undo_log[--nr_logged];

		set(entry->at, entry->old, entry->bytes);
	}
	nr_locks = 0;
}

/* ---- locks ---- */

static struct held_lock *find_lock(const void *at)
{
	for (unsigned i = 0; i < nr_locks; i++)
		if (locks[i].at == at)
			return &locks[i];
	return NULL;
}

bool model_is_held(const void *at)
{
	return nr_locks && find_lock(at);
}

bool model_holds(const void *lock)
{
	const struct held_lock *held = find_lock(lock);

	return held && held->holder == model_actor();
}

unsigned model_locks_held(void)
{
	return nr_locks;
}

static void took_lock(void *at)
{
	if (!logging)
		return;
	if (model_self->irq_on)
		model_fail("lock %p taken with interrupts on", at);
	if (nr_locks == LOCKS_MAX)
		model_fail("%u locks held at once", LOCKS_MAX);
	locks[nr_locks++] = (struct held_lock){.at = at, .holder = model_current};
	if (model_current)
		model_current->nr_held++;
}

/* A plain store of this CPU is issued. True: it gives back a lock. */
static bool leaves_lock(const void *at, uint64_t value)
{
	struct held_lock *held = nr_locks ? find_lock(at) : NULL;

	if (!held)
		return false;
	if (held->holder != model_current || value)
		model_fail("lock %p written by one who does not hold it", at);
	held->leaving = true;
	if (model_current)
		model_current->nr_held--;
	return true;
}

static void left_lock(void *at)
{
	struct held_lock *held = find_lock(at);

	watch_unlock(at);
	*held = locks[--nr_locks];
	model_lock_left();
}

/* ---- store buffers ---- */

void model_flush_oldest(struct model_cpu *cpu)
{
	struct model_store store = cpu->stores[0];

	memmove(cpu->stores, cpu->stores + 1, --cpu->nr_stores * sizeof(store));
	flushing = &store;
	if (store.unlocks)
		left_lock(store.at);
	put_watched(store.at, store.value, store.bytes);
	flushing = NULL;
}

void model_drain(struct model_cpu *cpu)
{
	while (cpu->nr_stores)
		model_flush_oldest(cpu);
}

static void buffer(void *at, uint64_t value, unsigned bytes, bool unlocks)
{
	if (model_self->nr_stores == MODEL_STORE_BUFFER)
		model_flush_oldest(model_self);
	model_self->stores[model_self->nr_stores++] = (struct model_store){.at = at,
		.by = model_current,
		.freeing = model_current->freeing,
		.value = value,
		.bytes = bytes,
		.unlocks = unlocks};
}

/*
 * The newest own store to this word. Parts of words are read from memory: the buffer is made
 * visible first.
 */
static bool forward(const void *at, unsigned bytes, uint64_t *value)
{
	for (unsigned i = model_self->nr_stores; i--;) {
		const struct model_store *store = &model_self->stores[i];

		if (store->at == at && store->bytes == bytes) {
			*value = store->value;
			return true;
		}
		if ((const char *)at < (const char *)store->at + store->bytes &&
			(const char *)store->at < (const char *)at + bytes) {
			model_drain(model_self);
			return false;
		}
	}
	return false;
}

/* ---- the port's accesses ---- */

uint64_t model_load(const void *at, unsigned bytes)
{
	uint64_t value;

	point(at, ACCESS_LOAD);
	if (__builtin_expect(!model_self->nr_stores, 1) || !forward(at, bytes, &value))
		value = get(at, bytes);
	TRACE("load", at, value, bytes);
	return value;
}

/* A plain store, behind its switch point. */
static inline void store(void *at, uint64_t value, unsigned bytes)
{
	TRACE("store", at, value, bytes);
	bool unlocks = leaves_lock(at, value);
	if (line_of(at) != LINE_OTHER)
		value = watch_value(at, value, bytes);
	if (__builtin_expect(model_is_buffered(at), 0)) {
		buffer(at, value, bytes, unlocks);
		return;
	}
	if (unlocks)
		left_lock(at);
	put_watched(at, value, bytes);
}

void model_store(void *at, uint64_t value, unsigned bytes)
{
	point(at, ACCESS_STORE);
	store(at, value, bytes);
}

bool model_cas(void *at, void *old, uint64_t value, unsigned bytes)
{
	point(at, ACCESS_LOCKED);
	model_drain(model_self);
	uint64_t seen = get(at, bytes), expected = get(old, bytes);
	TRACE(seen == expected ? "cas" : "cas failed", at, value, bytes);
	if (seen != expected) {
		set(old, seen, bytes);
		return false;
	}
	put_watched(at, value, bytes);
	return true;
}

uint64_t model_swap(void *at, uint64_t value, unsigned bytes)
{
	point(at, ACCESS_LOCKED);
	model_drain(model_self);
	uint64_t seen = get(at, bytes);
	TRACE(seen ? "swap, was held" : "swap", at, value, bytes);
	put_watched(at, value, bytes);
	if (value == 1 && !seen)
		took_lock(at);
	return seen;
}

uint64_t model_fetch_add(void *at, uint64_t value, unsigned bytes)
{
	point(at, ACCESS_LOCKED);
	model_drain(model_self);
	uint64_t seen = get(at, bytes);
	TRACE("fetch_add", at, value, bytes);
	put_watched(at, seen + value, bytes);
	return seen;
}

uint64_t model_fetch_or(void *at, uint64_t value, unsigned bytes)
{
	point(at, ACCESS_LOCKED);
	model_drain(model_self);
	uint64_t seen = get(at, bytes);
	TRACE("fetch_or", at, value, bytes);
	put_watched(at, seen | value, bytes);
	return seen;
}

uint64_t model_fetch_and(void *at, uint64_t value, unsigned bytes)
{
	point(at, ACCESS_LOCKED);
	model_drain(model_self);
	uint64_t seen = get(at, bytes);
	TRACE("fetch_and", at, value, bytes);
	put_watched(at, seen & value, bytes);
	return seen;
}

bool model_cas16(struct port_pair *at, struct port_pair *old, struct port_pair value)
{
	point(at, ACCESS_PAIR);
	model_drain(model_self);
	struct port_pair seen = *(volatile struct port_pair *)at;
	bool same = seen.lo == old->lo && seen.hi == old->hi;

	TRACE(same ? "cas16" : "cas16 failed", at, value.hi, 16);
	if (!same) {
		*old = seen;
		return false;
	}
	value.hi = watch_counters(value.hi);
	put(&at->lo, value.lo, 8);
	put(&at->hi, value.hi, 8);
	watch_pair(at, seen, value);
	return true;
}

/* One instruction on memory that only this CPU writes: no switch point. */
void model_count(void *at, uint64_t value, unsigned bytes)
{
	put(at, get(at, bytes) + value, bytes);
}

/* ---- interrupts ---- */

unsigned long model_irq_save(void)
{
	point(NULL, ACCESS_OTHER);
	TRACE("interrupts off", NULL, 0, 0);
	model_self->irq_on = false;
	return 1;
}

void model_irq_restore(void)
{
	if (model_current && model_current->nr_held)
		model_fail("interrupts on again with %u locks held", model_current->nr_held);
	TRACE("interrupts on", NULL, 0, 0);
	model_self->irq_on = true;
	model_fences_go_on();
	if (model_self->nr_waiting)
		model_interrupts_on();
	point(NULL, ACCESS_OTHER);
}

/* ---- windows ---- */

static bool is_broken(void)
{
	return model_current && model_current->broken;
}

static void set_in_window(bool inside)
{
	if (!model_current)
		return;
	model_current->in_window = inside;
	model_current->broken = false;
}

/*
 * From its switch point on nobody else runs: whether the window is whole, and the store, are of one
 * moment.
 */
static bool window_store(void *at, uint64_t value, unsigned bytes)
{
	point(at, ACCESS_STORE);
	if (is_broken())
		return false;
	store(at, value, bytes);
	return true;
}

static struct port_slot *slot_at(uint32_t offset)
{
	return (struct port_slot *)((char *)port_this_percpu() + offset);
}

/* False: the window was broken, nothing happened. `home`: NULL for a slot of any. */
static bool try_pop(uint32_t offset, const uint16_t *home, void **item)
{
	*item = NULL;
	if (home) {
		bool same = port_load(&slot_at(offset)->sl_home) == *home;

		if (is_broken() || !same)
			return !is_broken();
	}
	struct port_stack *stack = port_load(&slot_at(offset)->sl_stack);
	if (is_broken())
		return false;
	uint32_t count = port_load(&stack->ps_count);
	if (is_broken())
		return false;
	if (!count)
		return true;
	*item = port_load(&stack->ps_item[count - 1]);
	return window_store(&stack->ps_count, count - 1, sizeof(count));
}

static bool try_push(uint32_t offset, void *item, uint16_t home, bool *fits)
{
	*fits = port_load(&slot_at(offset)->sl_home) == home;
	if (is_broken() || !*fits)
		return !is_broken();
	struct port_stack *stack = port_load(&slot_at(offset)->sl_stack);
	if (is_broken())
		return false;
	uint32_t count = port_load(&stack->ps_count);
	*fits = count < port_load(&stack->ps_max);
	if (is_broken() || !*fits)
		return !is_broken();
	return window_store(&stack->ps_item[count], (uint64_t)item, sizeof(item)) &&
	       window_store(&stack->ps_count, count + 1, sizeof(count));
}

void *model_slot_pop(uint32_t offset, const uint16_t *home)
{
	unsigned long flags = model_masks_windows() ? port_irq_save() : 0;
	void *item;

	set_in_window(true);
	for (; !try_pop(offset, home, &item); set_in_window(true))
		model_nr_restarts++;
	set_in_window(false);
	port_irq_restore(flags);
	return item;
}

bool model_slot_push(uint32_t offset, void *item, uint16_t home)
{
	unsigned long flags = model_masks_windows() ? port_irq_save() : 0;
	bool fits;

	set_in_window(true);
	for (; !try_push(offset, item, home, &fits); set_in_window(true))
		model_nr_restarts++;
	set_in_window(false);
	port_irq_restore(flags);
	return fits;
}

/* The other CPU's interrupt and what it does there are one step. */
void model_window_fence(unsigned cpu)
{
	struct model_cpu *other = &model_cpus[cpu];

	point(NULL, ACCESS_OTHER);
	while (other != model_self && (!other->irq_on || other->interrupt)) {
		model_current->fencing = true;
		model_relax();
	}
	if (other == model_self)
		return;
	TRACE("fence", other, cpu, 0);
	model_drain(model_self);
	model_nr_fenced += model_break_windows(cpu);
	model_drain(other);
}
