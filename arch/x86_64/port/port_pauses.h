/*
 * A build for finding races on the real binary (make DOLMEN_PAUSES=1): before each access to shared
 * memory the CPU may execute `pause`, as a generator decides that starts from a seed. Under
 * `-icount`, QEMU runs one CPU at a time and goes on with the next one at a pause, so one seed is
 * one interleaving of the real instructions, again and again.
 */
#ifndef PORT_PAUSES_H
#define PORT_PAUSES_H

extern uint64_t port_pause_state; /* of the generator; 0: never pause */

static inline void port_pause_maybe(void)
{
	uint64_t state = port_pause_state;

	if (!state)
		return;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	port_pause_state = state;
	if (!(state >> 60 & 7))
		__asm__ volatile("pause" : : : "memory");
}

#define port_load(p)		 (port_pause_maybe(), __atomic_load_n(p, __ATOMIC_RELAXED))
#define port_load_acquire(p)	 (port_pause_maybe(), __atomic_load_n(p, __ATOMIC_ACQUIRE))
#define port_swap(p, v)		 (port_pause_maybe(), __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL))
#define port_fetch_add(p, v)	 (port_pause_maybe(), __atomic_fetch_add(p, v, __ATOMIC_RELAXED))
#define port_fetch_or(p, v)	 (port_pause_maybe(), __atomic_fetch_or(p, v, __ATOMIC_ACQ_REL))
#define port_fetch_and(p, v)	 (port_pause_maybe(), __atomic_fetch_and(p, v, __ATOMIC_ACQ_REL))
#define port_store(p, v)	 (port_pause_maybe(), __atomic_store_n(p, v, __ATOMIC_RELAXED))
#define port_store_release(p, v) (port_pause_maybe(), __atomic_store_n(p, v, __ATOMIC_RELEASE))
#define port_cas(p, old, v)                                                                        \
	(port_pause_maybe(),                                                                       \
		__atomic_compare_exchange_n(p, old, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
#define port_cas16(p, old, v) (port_pause_maybe(), port_cmpxchg16b(p, old, v))

#endif
