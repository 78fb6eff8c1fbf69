#include "test/slab_tools.h"

EXACT_CONTRACT("the largest order holds one object of its size, and none holds a larger one",
	"slab_choose_geometry does not look whether it went past the largest order")
{
	struct slab_geometry best, min;
	size_t most = PAGE_SIZE << DOLMEN_MAX_ORDER;

	CHECK(slab_choose_geometry(most, &best, &min) && best.objects == 1 &&
			best.order == DOLMEN_MAX_ORDER,
		"%zu bytes: order %u, %u objects", most, best.order, best.objects);
	CHECK(!slab_choose_geometry(most + 8, &best, &min), "%zu bytes: order %u", most + 8,
		min.order);
}
