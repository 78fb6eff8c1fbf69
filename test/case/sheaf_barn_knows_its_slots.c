#include "test/slab_tools.h"

static unsigned nr_bits(uint64_t bits)
{
	unsigned nr = 0;

	for (; bits; bits &= bits - 1)
		nr++;
	return nr;
}

CONTRACT("a barn trades in the slots it is told to, knows which nobody traded in, and closes no "
	 "more "
	 "than it shall",
	"barn_trade_among looks at all slots or notes no trade, or barn_resize closes all")
{
	static struct barn barn;
	struct port_stack *first, *second, *none = NULL;
	uint64_t slot;

	barn_init(&barn);
	barn_resize(&barn, 5);
	barn_resize(&barn, 3);
	CHECK(nr_bits(port_load(&barn.bn_vacant)) == 3, "vacant: %lx", port_load(&barn.bn_vacant));

	first = kmem_cache_alloc(sheaf_caches[0], GFP_KERNEL);
	second = kmem_cache_alloc(sheaf_caches[0], GFP_KERNEL);
	port_store(&first->ps_count, 1u);
	port_store(&second->ps_count, 2u);
	struct port_stack *given = first;
	CHECK(barn_trade(&barn, &barn.bn_vacant, &barn.bn_full, &given), "no vacant slot");
	slot = port_load(&barn.bn_full);
	uint16_t trades = port_load(&barn.bn_trades);
	given = second;
	CHECK(barn_trade(&barn, &barn.bn_vacant, &barn.bn_full, &given), "no vacant slot");
	CHECK(barn_idle(&barn, trades) == slot, "idle: %lx, not %lx", barn_idle(&barn, trades),
		slot);

	/* The first slot is the one that a trade among all would take. */
	slot = port_load(&barn.bn_full) & ~slot;
	CHECK(barn_trade_among(&barn, slot, &barn.bn_full, &barn.bn_vacant, &none) &&
			none == second,
		"not the sheaf of slot %lx", slot);
	none = NULL;
	CHECK(!barn_trade_among(&barn, slot, &barn.bn_full, &barn.bn_vacant, &none),
		"a sheaf of a slot that was not asked for");
	kmem_cache_free(sheaf_caches[0], first);
	kmem_cache_free(sheaf_caches[0], second);
}
