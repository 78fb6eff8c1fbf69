#include "test/slab_tools.h"

/* A size known to the compiler against the same one hidden from it: same class, same size of
 * object. */
#define SAME(bytes)                                                                                \
	do {                                                                                       \
		void *constant = kmalloc(bytes, GFP_KERNEL);                                       \
		void *variable = kmalloc_var(hidden = (bytes), GFP_KERNEL);                        \
		CHECK(ksize(constant) == ksize(variable) && ksize(constant) >= (bytes),            \
			"%zu bytes: %zu if constant, %zu if not", (size_t)(bytes),                 \
			ksize(constant), ksize(variable));                                         \
		kfree(constant);                                                                   \
		kfree(variable);                                                                   \
	} while (0)
#define EDGE(bytes)                                                                                \
	do {                                                                                       \
		SAME((bytes)-1);                                                                   \
		SAME(bytes);                                                                       \
		SAME((bytes) + 1);                                                                 \
	} while (0)
#define DOUBLING(bytes)                                                                            \
	do {                                                                                       \
		EDGE((bytes) / 4 * 5);                                                             \
		EDGE((bytes) / 4 * 6);                                                             \
		EDGE((bytes) / 4 * 7);                                                             \
		EDGE((bytes)*2);                                                                   \
	} while (0)

CONTRACT(
	"a constant size and a variable one get objects of the same size, at every edge of a class",
	"kmalloc passes a constant to kmalloc_class one too high")
{
	static volatile size_t hidden;

	SAME(1);
	EDGE(8);
	EDGE(16);
	EDGE(32);
	EDGE(48);
	EDGE(64);
	EDGE(80);
	EDGE(96);
	EDGE(112);
	EDGE(128);
	DOUBLING(128);
	DOUBLING(256);
	DOUBLING(512);
	DOUBLING(1024);
	DOUBLING(2048);
	DOUBLING(4096);
	EDGE(16384);
	SAME(KMALLOC_MAX_SIZE / 16);
}
