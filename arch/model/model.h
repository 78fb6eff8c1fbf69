/*
 * The model: fibers as CPUs and interrupts, a scheduler that decides at every access, memory that
 * can be taken back.
 *
 * One program is one run: model_begin(), the program's own start as CPU code that nobody
 * interrupts, model_add() for each fiber, model_run(), checks, model_end(), which undoes every
 * store since model_begin(). All choices come from one seed, so the same seed on the same program
 * is the same run.
 */
#ifndef MODEL_H
#define MODEL_H

#include <dolmen/port.h>

#define MODEL_CPUS   3
#define MODEL_FIBERS 8

struct model_fiber {
	unsigned cpu;
	bool is_interrupt, started, done;
	bool waiting; /* for a lock, since no lock was given back */
	bool fencing; /* waits for a CPU to take interrupts */
	bool in_window;
	bool broken; /* the window: somebody else ran here, or the CPU changed, or a fence came */
	int64_t priority; /* PCT: the enabled fiber with the highest runs */
	unsigned nr_held; /* locks taken and not given back */
	void *stack_pointer;
	void (*body)(void *arg);
	void *arg;
	const void *freeing; /* for the program: the object that it is giving back */
};

extern struct model_cpu model_cpus[MODEL_CPUS];
extern struct model_fiber *model_current; /* NULL outside model_run() */

/*
 * Whose store is being made: the running fiber, or the one that left it in a buffer. NULL outside
 * model_run().
 */
struct model_fiber *model_actor(void);
const void *model_actor_frees(void);

/* ---- how the next fiber is chosen ---- */

enum model_strategy {
	MODEL_WALK, /* random, with a mean of model_plan.gap accesses between choices */
	MODEL_PCT,  /* by priority; `depth` - 1 change at random, see schedule.c */
	MODEL_DFS,  /* every schedule with at most `preemptions` of them, one a run */
	MODEL_ALONE /* one fiber after the other */
};

struct model_plan {
	enum model_strategy strategy;
	uint64_t seed;
	unsigned gap;
	unsigned depth, length;
	unsigned preemptions;
	bool store_buffers;
	bool migrates;	    /* walk: two CPUs with interrupts on may exchange their fibers */
	bool masks_windows; /* they have interrupts off instead of going back to their start */
	uint64_t max_steps; /* more is a program that does not end */
};

/* ---- a run ---- */

void model_begin(void);
void model_end(void);
struct model_fiber *model_add(unsigned cpu, bool is_interrupt, void (*body)(void *arg), void *arg);

/*
 * Runs all fibers to their ends. False: a violation, see model_failure. Steps taken are in
 * model_steps.
 */
bool model_run(const struct model_plan *plan);

/* What follows outside model_run() is done by this CPU, and nobody else runs. */
void model_become(unsigned cpu);

/* Whether fibers of this run change CPUs. */
bool model_migrates(void);

/* Windows that went back to their start, and fences that came into one, over all runs. */
extern uint64_t model_nr_restarts, model_nr_fenced;

extern uint64_t model_steps;
extern char model_failure[512];

/* Ends the run with this line. Does not return. */
void model_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Ends it with the line that is there already. */
void model_give_up(void) __attribute__((noreturn));

/* Calls fn(arg); false if it ended by model_fail(). Outside model_run(). */
bool model_try(void (*fn)(void *arg), void *arg);

/* Whether the running fiber holds this lock. */
bool model_holds(const void *lock);

/* Locks held by anyone. */
unsigned model_locks_held(void);

/* ---- depth-first search: choices kept from run to run ---- */

void model_dfs_reset(void);

/* To the next schedule; false: all were run. */
bool model_dfs_next(void);

/* ---- what the program around the model links ---- */

enum model_line { LINE_OTHER, LINE_PAGE, LINE_SLOTS, LINE_DEAD };

/*
 * Physical memory, and for each 64 bytes of it an enum model_line: stores to all but the first kind
 * are watched.
 */
#define MODEL_MEMORY_BYTES (16ul << 20)
extern uint8_t model_lines[MODEL_MEMORY_BYTES / 64];

/* A store to such a line, just before and just after it is made. The first may change the value. */
uint64_t watch_value(void *at, uint64_t value, unsigned bytes);
void watch_stored(void *at, uint64_t old, uint64_t value, unsigned bytes);

/* A pair was exchanged in one step. */
void watch_pair(struct port_pair *at, struct port_pair old, struct port_pair value);
uint64_t watch_counters(uint64_t counters);

/* A lock is about to be given back by the fiber that took it. */
void watch_unlock(void *lock);

/* Whether this word is changed by those who hold no lock. */
bool watch_lockless(const void *at);

/* ---- trace of one run ---- */

struct model_event {
	const void *caller;
	const void *at;
	uint64_t value;
	const char *what;
	uint8_t cpu, fiber, bytes;
};

extern bool model_tracing;
extern struct model_event model_events[];
extern uint64_t model_nr_events;
#define MODEL_EVENTS 4096 /* the last ones are kept */

/* ---- random numbers ---- */

static inline uint64_t model_mix(uint64_t value)
{
	value += 0x9e3779b97f4a7c15ul;
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ul;
	value = (value ^ value >> 27) * 0x94d049bb133111ebul;
	return value ^ value >> 31;
}

static inline uint64_t model_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ul;
	return model_mix(*state);
}

/* 0..bound-1 */
static inline unsigned model_below(uint64_t *state, unsigned bound)
{
	return (unsigned)((model_random(state) >> 32) * bound >> 32);
}

/* ---- between memory.c and schedule.c ---- */

/* ACCESS_PAIR: locked, of two words. */
enum model_access { ACCESS_LOAD, ACCESS_STORE, ACCESS_LOCKED, ACCESS_PAIR, ACCESS_OTHER };

extern int64_t model_countdown; /* accesses until the scheduler is asked */
void model_decide(const void *at, enum model_access access);
void model_lock_left(void);
void model_interrupts_on(void); /* on this CPU, where one is waiting */
void model_fences_go_on(void);	/* those that wait for a CPU to take interrupts may look again */
bool model_masks_windows(void);

/* The fibers of this CPU go back to the start of their windows. True if one was inside. */
bool model_break_windows(unsigned cpu);

/*
 * Whether a store goes to a buffer first. Those to a fiber's stack do not: the compiler's own
 * stores follow them there.
 */
bool model_is_buffered(const void *at);

bool model_is_held(const void *at);
void model_flush_oldest(struct model_cpu *cpu);
void model_drain(struct model_cpu *cpu);
void model_memory_begin(void);

#endif
