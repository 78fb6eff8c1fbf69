#include "lib/sort.h"
#include "test/contract.h"

#define MAX_ITEMS 100

struct item {
	uint32_t key;
	uint32_t of_key; /* says whether an item stayed whole */
	uint16_t odd;
} __attribute__((packed));

static struct item items[MAX_ITEMS];
static unsigned nr_compared;

static int compare(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	nr_compared++;
	return left->key < right->key ? -1 : left->key > right->key;
}

CONTRACT("heap sort keeps every item, in order, whatever the order before",
	"sift_down looks at the left child alone")
{
	for (unsigned round = 0; round < 200; round++) {
		unsigned nr_items = round % (MAX_ITEMS + 1);
		uint64_t sum = 0;

		for (unsigned i = 0; i < nr_items; i++) {
			items[i].key = round % 3 == 0 ? i : (uint32_t)(test_random() % 50);
			items[i].of_key = ~items[i].key;
			sum += items[i].key;
		}
		nr_compared = 0;
		heap_sort(items, nr_items, sizeof(items[0]), compare);
		/* 2 log2(n) for each item, with room for building the heap. */
		CHECK(nr_compared <= nr_items * 16, "%u comparisons of %u items", nr_compared,
			nr_items);
		for (unsigned i = 0; i < nr_items; i++) {
			CHECK(!i || items[i - 1].key <= items[i].key, "item %u of %u", i, nr_items);
			CHECK(items[i].of_key == ~items[i].key, "item %u is torn", i);
			sum -= items[i].key;
		}
		CHECK(!sum, "items were lost");
	}
}
