/* percpu_alloc() and percpu_free(). */
#include "lib/string.h"
#include <dolmen/numa.h>
#include "mm/percpu.h"
#include "test/contract.h"

#define NR_OBJECTS 64
#define NR_ROUNDS  3000
#define WHOLE	   (DOLMEN_PERCPU_BYTES / 3)

static struct {
	uint32_t offset, size;
} objects[NR_OBJECTS];

static void check_new(unsigned i, size_t align)
{
	uint32_t offset = objects[i].offset, size = objects[i].size;
	unsigned cpu = (unsigned)(test_random() % numa_nr_cpus());
	const char *copy = percpu_ptr(offset, cpu);
	uint32_t dirty = 0;

	CHECK(offset >= PERCPU_FIRST && offset + size <= DOLMEN_PERCPU_BYTES, "offset %u, %u bytes",
		offset, size);
	CHECK(!(offset % align), "offset %u is not aligned to %zu", offset, align);
	for (uint32_t at = 0; at < size; at++)
		dirty += copy[at] != 0;
	CHECK(!dirty, "%u bytes of a new object are not 0 on CPU %u", dirty, cpu);
	for (unsigned other = 0; other < NR_OBJECTS; other++)
		CHECK(other == i || !objects[other].offset ||
				objects[other].offset + objects[other].size <= offset ||
				offset + size <= objects[other].offset,
			"objects at %u and %u overlap", objects[other].offset, offset);
	memset(percpu_ptr(offset, cpu), 0xff, size);
}

CONTRACT(
	"per-CPU objects are zeroed, disjoint and aligned, and their space is found again for ever",
	"percpu_free forgets the last granule")
{
	uint32_t whole;

	for (unsigned round = 0; round < NR_ROUNDS; round++) {
		uint64_t random = test_random();
		unsigned i = random % NR_OBJECTS;
		size_t align = 8ul << (random >> 32) % 5;

		if (objects[i].offset) {
			percpu_free(objects[i].offset, objects[i].size);
			objects[i].offset = 0;
			continue;
		}
		objects[i].size = 1 + (random >> 40) % 300;
		objects[i].offset = percpu_alloc(objects[i].size, align);
		CHECK(objects[i].offset, "no room for %u bytes", objects[i].size);
		if (objects[i].offset)
			check_new(i, align);
	}
	for (unsigned i = 0; i < NR_OBJECTS; i++)
		if (objects[i].offset)
			percpu_free(objects[i].offset, objects[i].size);
	whole = percpu_alloc(WHOLE, 64); /* the library's own caches have up to two thirds */
	CHECK(whole, "a third of an area is not free after all");
	CHECK(!percpu_alloc(DOLMEN_PERCPU_BYTES - WHOLE, 64), "more than there is");
	CHECK(!percpu_alloc(0, 8), "0 bytes");
	CHECK(!percpu_alloc(SIZE_MAX, 8), "SIZE_MAX bytes");
	CHECK(!percpu_alloc(8, 2 * PAGE_SIZE), "aligned to more than a page");
	if (whole)
		percpu_free(whole, WHOLE);
}
