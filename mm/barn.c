/*
 * The barn: where the CPUs of a node leave full sheaves for each other, and empty ones.
 *
 * It is an array of slots and a mask of slots for each state: closed, vacant, full (a sheaf with
 * objects), empty (one without). Whoever clears a slot's bit owns the slot, until he sets a bit for
 * it, in the mask of its new state. So nobody waits, no word is read that another may free, and an
 * interrupt between the two steps finds a barn with one slot less. The number of slots that are not
 * closed is the bound on what the barn hoards.
 *
 * Contexts: any. Locks: none.
 */
#include "mm/barn.h"

bool barn_trade_among(
	struct barn *barn, uint64_t among, uint64_t *from, uint64_t *to, struct port_stack **sheaf)
{
	uint64_t mask, bit;

	for (;;) {
		mask = port_load(from) & among;
		if (!mask)
			return false;
		bit = mask & -mask;
		mask = port_fetch_and(from, ~bit); /* acquire: pairs with the one below */
		if (likely(mask & bit))
			break;
		port_store(&barn->bn_misses, port_load(&barn->bn_misses) + 1);
	}

	unsigned slot = (unsigned)__builtin_ctzl(bit);
	struct port_stack *theirs = port_load(&barn->bn_sheaf[slot]);
	uint64_t trades = port_load(&barn->bn_trades);

	port_store(&barn->bn_sheaf[slot], *sheaf);
	port_store(&barn->bn_count[slot], (uint8_t)(*sheaf ? port_load(&(*sheaf)->ps_count) : 0));
	port_store(&barn->bn_traded[slot], (uint16_t)trades);
	port_store(&barn->bn_trades, trades + 1);
	port_fetch_or(to, bit); /* release: what is in the sheaf comes before */
	*sheaf = theirs;
	return true;
}

bool barn_trade(struct barn *barn, uint64_t *from, uint64_t *to, struct port_stack **sheaf)
{
	return barn_trade_among(barn, ~0ul, from, to, sheaf);
}

uint64_t barn_idle(struct barn *barn, uint16_t trades)
{
	uint64_t idle = 0;

	for (uint64_t full = port_load(&barn->bn_full); full; full &= full - 1) {
		unsigned slot = (unsigned)__builtin_ctzl(full);

		if ((int16_t)(port_load(&barn->bn_traded[slot]) - trades) < 0)
			idle |= full & -full;
	}
	return idle;
}

uint64_t barn_objects(struct barn *barn)
{
	uint64_t objects = 0;

	for (uint64_t full = port_load_acquire(&barn->bn_full); full; full &= full - 1)
		objects += port_load(&barn->bn_count[__builtin_ctzl(full)]);
	return objects;
}

void barn_init(struct barn *barn)
{
	port_store(&barn->bn_closed, ~0ul);
}

void barn_resize(struct barn *barn, unsigned sheaves)
{
	struct port_stack *none = NULL;
	unsigned open = BARN_SLOTS;

	for (uint64_t closed = port_load(&barn->bn_closed); closed; closed &= closed - 1)
		open--;
	while (open < sheaves && barn_trade(barn, &barn->bn_closed, &barn->bn_vacant, &none))
		open++;
	while (open > sheaves && barn_trade(barn, &barn->bn_vacant, &barn->bn_closed, &none))
		open--;
}
