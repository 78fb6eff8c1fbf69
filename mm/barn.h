/*
 * The barn: see mm/barn.c.
 */
#ifndef MM_BARN_H
#define MM_BARN_H

#include <dolmen/port.h>

#include "lib/names.h"

#define BARN_SLOTS 64u

/*
 * Sheaves of one node and cache between its CPUs. A slot is closed, vacant, or holds a sheaf with
 * objects or an empty one: its bit is in the mask that says so, and in none while somebody trades.
 */
struct barn {
	uint64_t bn_closed, bn_vacant, bn_full, bn_empty; /* by single bits: see barn_trade() */
	struct port_stack *bn_sheaf[BARN_SLOTS];	  /* whoever took its bit */
	uint8_t bn_count[BARN_SLOTS];			  /* objects in it; as bn_sheaf */

	/* Hints, lost now and then. */
	uint64_t bn_trades;		/* since ever */
	uint16_t bn_traded[BARN_SLOTS]; /* its low bits when a slot was last traded in */
	uint32_t bn_misses; /* trades lost to another, exchanges with slabs: see note_miss() */
};

/* All slots closed. By whoever makes the node's part. */
void barn_init(struct barn *barn);

/* Opens or closes slots until `sheaves` are open, or no more are vacant. */
void barn_resize(struct barn *barn, unsigned sheaves);

/*
 * Trades *sheaf, which may be NULL, for what a slot of the mask `from` holds; the slot moves to the
 * mask `to`. False: no slot is in `from`, nothing happened. Any context.
 */
bool barn_trade(struct barn *barn, uint64_t *from, uint64_t *to, struct port_stack **sheaf);

/* The same with a slot of `among`. */
bool barn_trade_among(
	struct barn *barn, uint64_t among, uint64_t *from, uint64_t *to, struct port_stack **sheaf);

/* Full slots that nobody traded in since `trades`, which was bn_trades then, or its low bits. */
uint64_t barn_idle(struct barn *barn, uint16_t trades);

/* Objects in the barn; exact while nobody trades. */
uint64_t barn_objects(struct barn *barn);

#endif
