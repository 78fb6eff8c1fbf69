/*
 * Circular doubly linked list with the head inside its owner. No locking: the caller holds what
 * guards the list. Links are shared memory, so they go through the port like everything else.
 */
#ifndef MM_LIST_H
#define MM_LIST_H

#include <dolmen/port.h>

struct list_head {
	struct list_head *next, *prev;
};

#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

static inline void list_init(struct list_head *head)
{
	port_store(&head->next, head);
	port_store(&head->prev, head);
}

static inline bool list_empty(const struct list_head *head)
{
	return port_load(&head->next) == head;
}

static inline void list_insert(
	struct list_head *entry, struct list_head *prev, struct list_head *next)
{
	port_store(&entry->prev, prev);
	port_store(&entry->next, next);
	port_store(&prev->next, entry);
	port_store(&next->prev, entry);
}

/* First in the list. */
static inline void list_add(struct list_head *entry, struct list_head *head)
{
	list_insert(entry, head, port_load(&head->next));
}

/* Last in the list. */
static inline void list_add_tail(struct list_head *entry, struct list_head *head)
{
	list_insert(entry, port_load(&head->prev), head);
}

static inline void list_del(struct list_head *entry)
{
	struct list_head *next = port_load(&entry->next), *prev = port_load(&entry->prev);

	port_store(&prev->next, next);
	port_store(&next->prev, prev);
}

/* All entries of `from` to the end of `to`; `from` is left empty. */
static inline void list_splice(struct list_head *from, struct list_head *to)
{
	struct list_head *first = port_load(&from->next), *last = port_load(&from->prev);
	struct list_head *prev = port_load(&to->prev);

	if (first == from)
		return;
	port_store(&first->prev, prev);
	port_store(&prev->next, first);
	port_store(&last->next, to);
	port_store(&to->prev, last);
	list_init(from);
}

#define list_first(head, type, member) container_of(port_load(&(head)->next), type, member)

#define list_for_each(pos, head)                                                                   \
	for ((pos) = port_load(&(head)->next); (pos) != (head); (pos) = port_load(&(pos)->next))

/* `pos` may be taken off the list inside the loop; `tmp` is the loop's own. */
#define list_for_each_safe(pos, tmp, head)                                                         \
	for ((pos) = port_load(&(head)->next), (tmp) = port_load(&(pos)->next); (pos) != (head);   \
		(pos) = (tmp), (tmp) = port_load(&(pos)->next))

#endif
