/* The page cache is a stack: what was used last is still in the CPU's own cache. */
#include "mm/pcp.h"
#include "test/contract.h"

CONTRACT("the block that was freed last is handed out first",
	"pcp_give puts a block at the bottom of the stack")
{
	for (unsigned order = 0; order < PCP_ORDERS; order++) {
		unsigned long flags = port_irq_save();
		struct page *first = alloc_pages(GFP_KERNEL, order),
			    *second = alloc_pages(GFP_KERNEL, order);
		struct page *again;

		__free_pages(second, order);
		__free_pages(first, order);
		again = alloc_pages(GFP_KERNEL, order);
		if (port_load(&port_load(&this_pcp()->pc_slots[0][order].sl_stack)->ps_max))
			CHECK(again == first, "order %u: %p, not %p", order, (void *)again,
				(void *)first);
		__free_pages(again, order);
		port_irq_restore(flags);
	}
}
