#include "test/slab_tools.h"

static bool wastes_little(size_t stride, struct slab_geometry geometry)
{
	size_t bytes = PAGE_SIZE << geometry.order;

	return (bytes - geometry.objects * stride) * 16 <= bytes;
}

EXACT_CONTRACT(
	"a slab wastes at most a sixteenth of itself wherever an order up to 5 can give that",
	"the last waste rule ends at order 3")
{
	for (size_t stride = 8; stride <= 65536; stride += 8) {
		struct slab_geometry best, min;
		bool possible = false;

		CHECK(slab_choose_geometry(stride, &best, &min), "%zu bytes: no geometry", stride);
		for (unsigned order = 0; order <= 5; order++)
			possible = possible ||
				   (PAGE_SIZE << order >= stride &&
					   wastes_little(stride, slab_geometry(stride, order)));
		CHECK(!possible || wastes_little(stride, best), "%zu bytes: order %u, %u objects",
			stride, best.order, best.objects);
		CHECK(best.objects >= 1 && min.objects >= 1 && min.order <= best.order,
			"%zu bytes: %u objects, at the least %u", stride, best.objects,
			min.objects);
	}
}
