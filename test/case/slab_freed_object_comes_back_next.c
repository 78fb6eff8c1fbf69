#include <dolmen/slab.h>
#include "test/contract.h"

EXACT_CONTRACT("an object that was just freed is the next one handed out",
	"partial_free forgets the free bit")
{
	void *first = kmalloc(64, GFP_KERNEL);

	kfree(first);
	void *second = kmalloc(64, GFP_KERNEL);
	CHECK(second == first, "got %p, not %p", second, first);
	kfree(second);
}
