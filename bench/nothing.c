#include "bench/nothing.h"

void *no_alloc(size_t size_bytes, gfp_t gfp)
{
	(void)size_bytes, (void)gfp;
	return NULL;
}

void no_free(void *object)
{
	(void)object;
}
