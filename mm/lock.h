/*
 * Spin locks, always taken with interrupts off on their CPU, so that a handler never waits for what
 * it interrupted.
 *
 * Order, outermost first: cache list -> slow lock of a CPU and cache -> node list -> zone. A page's
 * own lock (page-lock mode) is innermost and never held while another is taken. Two of the same
 * kind are never held at once.
 */
#ifndef MM_LOCK_H
#define MM_LOCK_H

#include <dolmen/port.h>

struct spinlock {
	uint32_t held; /* 0 or 1; swap-acquire in lock, store-release in unlock */
};

static inline bool spin_trylock(struct spinlock *lock)
{
	return !port_swap(&lock->held, 1u);
}

static inline void spin_lock(struct spinlock *lock)
{
	while (unlikely(!spin_trylock(lock)))
		while (port_load(&lock->held))
			port_relax();
}

static inline void spin_unlock(struct spinlock *lock)
{
	port_store_release(&lock->held, 0u);
}

static inline unsigned long spin_lock_irqsave(struct spinlock *lock)
{
	unsigned long flags = port_irq_save();

	spin_lock(lock);
	return flags;
}

static inline void spin_unlock_irqrestore(struct spinlock *lock, unsigned long flags)
{
	spin_unlock(lock);
	port_irq_restore(flags);
}

#endif
