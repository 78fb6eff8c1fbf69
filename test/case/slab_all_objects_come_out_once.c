/* 504 objects a slab is the wide free set, 64 fills the bitmap, 63 and less leave bits that are
 * no object. */
#include <dolmen/slab.h>
#include "lib/string.h"
#include "test/contract.h"

#define NR_OBJECTS 1500

static void out_and_back(size_t bytes)
{
	static unsigned char *objects[NR_OBJECTS];

	for (unsigned i = 0; i < NR_OBJECTS; i++) {
		objects[i] = kmalloc(bytes, GFP_KERNEL);
		if (!objects[i])
			break;
		memset(objects[i], (int)(i * 7), bytes);
	}
	for (unsigned i = 0; i < NR_OBJECTS && objects[i]; i++) {
		bool whole = true;

		for (size_t byte = 0; byte < bytes; byte++)
			whole = whole && objects[i][byte] == (unsigned char)(i * 7);
		CHECK(whole, "object %u of %zu bytes shares memory with another", i, bytes);
		kfree(objects[i]);
	}
}

EXACT_CONTRACT("all objects of a slab come out once, whatever their number",
	"a 32-bit shift on the bitmap, or fill_free_set one bit off")
{
	static const size_t sizes[] = {
		8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 256, 320, 1024};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		out_and_back(sizes[i]);
}
