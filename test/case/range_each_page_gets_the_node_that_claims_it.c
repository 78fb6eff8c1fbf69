#include <dolmen/port.h>
#include "mm/range.h"
#include "test/contract.h"

#define NR_PAGES   24
#define NR_ENTRIES 6
#define NO_NODE	   99u

static struct srat srat;

/* Disjoint entries with random gaps, most borders inside pages. */
static void random_entries(void)
{
	uint64_t at = test_random() % 0x3000;

	srat.nr_nodes = 3;
	srat.nr_memory = 0;
	for (unsigned i = 0; i < NR_ENTRIES; i++) {
		uint64_t size_bytes = 1 + test_random() % 0x5000;

		srat.memory[srat.nr_memory++] = (struct srat_memory){
			.first_byte = at,
			.last_byte = at + size_bytes - 1,
			.nid = (uint8_t)(test_random() % 3),
		};
		at += size_bytes + (test_random() % 2 ? test_random() % 0x3000 : 0);
	}
}

/*
 * By the rule alone: who holds the page's first byte; or who ends last before it; or the first
 * entry.
 */
static unsigned owner(uint64_t pfn)
{
	unsigned nid = NO_NODE;

	for (unsigned i = 0; i < NR_ENTRIES; i++) {
		const struct srat_memory *entry = &srat.memory[i];
		uint64_t first_pfn = (entry->first_byte + PAGE_SIZE - 1) / PAGE_SIZE;

		/* An entry that holds no page's first byte ends before none. */
		if (first_pfn <= pfn && first_pfn * PAGE_SIZE <= entry->last_byte)
			nid = entry->nid;
	}
	return nid == NO_NODE ? srat.memory[0].nid : nid;
}

static void one_cut(void)
{
	const struct pfn_range in[] = {{1, 9, 0}, {10, 11, 0}, {13, NR_PAGES, 0}};
	struct pfn_range out[NR_PAGES];
	struct range_nodes nodes;
	uint64_t nr_pages = 0;

	random_entries();
	if (range_assign(in, 3, &srat, out, NR_PAGES, &nodes) != ACPI_USABLE)
		return; /* no entry holds a usable page */
	for (unsigned i = 0; i < nodes.nr_ranges; i++) {
		for (uint64_t pfn = out[i].start_pfn; pfn < out[i].end_pfn; pfn++)
			CHECK(out[i].nid == owner(pfn), "page %lu on node %u, not %u", pfn,
				out[i].nid, owner(pfn));
		nr_pages += out[i].end_pfn - out[i].start_pfn;
		CHECK(!i || out[i - 1].end_pfn < out[i].start_pfn ||
				(out[i - 1].end_pfn == out[i].start_pfn &&
					out[i - 1].nid != out[i].nid),
			"ranges overlap, or touch on one node");
	}
	CHECK(nr_pages == 8 + 1 + NR_PAGES - 13, "%lu pages", nr_pages);
}

CONTRACT("in random cuts each usable page gets the node that claims it, once",
	"cut_range goes on with the node before when the next entry begins")
{
	for (unsigned i = 0; i < 400; i++)
		one_cut();
}
