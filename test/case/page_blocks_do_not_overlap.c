/* Blocks of all orders, stamped, checked, freed in random order. */
#include "lib/string.h"
#include "mm/memmap.h"
#include "test/contract.h"

#define NR_BLOCKS 256
#define NR_ROUNDS 4000

static struct {
	unsigned char *start;
	unsigned order;
	unsigned char stamp;
} blocks[NR_BLOCKS];

static void check_and_free(unsigned i)
{
	for (size_t at = 0; at < PAGE_SIZE << blocks[i].order; at += PAGE_SIZE / 2)
		CHECK(blocks[i].start[at] == blocks[i].stamp,
			"byte %zu of a block of order %u is 0x%02x, not 0x%02x", at,
			blocks[i].order, blocks[i].start[at], blocks[i].stamp);
	free_pages(blocks[i].start, blocks[i].order);
	blocks[i].start = NULL;
}

CONTRACT("no byte is in two blocks at once", "buddy_take leaves a split half's order one too large")
{
	for (unsigned round = 0; round < NR_ROUNDS; round++) {
		uint64_t random = test_random();
		unsigned i = random % NR_BLOCKS;

		if (blocks[i].start) {
			check_and_free(i);
			continue;
		}
		blocks[i].order = (random >> 32) % 6;
		blocks[i].stamp = (unsigned char)(random >> 24);
		blocks[i].start = __get_free_pages(GFP_KERNEL | __GFP_NOWARN, blocks[i].order);
		if (blocks[i].start)
			memset(blocks[i].start, blocks[i].stamp, PAGE_SIZE << blocks[i].order);
	}
	for (unsigned i = 0; i < NR_BLOCKS; i++)
		if (blocks[i].start)
			check_and_free(i);
}
