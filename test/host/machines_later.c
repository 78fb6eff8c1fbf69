/*
 * Memory that comes after start-up, by dolmen_add_range().
 */
#include "test/host/machines.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "mm/memmap.h"
#include "mm/page_alloc.h"
#include "test/hoard.h"

#define SECTION_BYTES	     (1ul << PORT_SECTION_SHIFT)
#define SECTION_MEMMAP_PAGES ((SECTION_BYTES >> PAGE_SHIFT) * sizeof(struct page) >> PAGE_SHIFT)
#define NR_THREADS	     3

/* The account adds up, and has `nr_pages` more usable ones than before, which it updates. */
static void expect_more(struct dolmen_memory *before, uint64_t nr_pages, uint64_t nr_taken)
{
	struct dolmen_memory now;

	dolmen_memory(&now);
	EXPECT(now.usable == now.managed + now.metadata + now.reserved,
		"%lu usable, %lu managed, %lu metadata, %lu reserved", now.usable, now.managed,
		now.metadata, now.reserved);
	EXPECT(now.usable == before->usable + nr_pages &&
			now.metadata == before->metadata + nr_taken &&
			now.memmap == before->memmap + nr_taken,
		"%lu usable, %lu metadata, %lu memmap", now.usable, now.metadata, now.memmap);
	*before = now;
}

/* All whole pages of the range are added, `nr_taken` of them for struct pages, and can be used. */
static void expect_added(uint64_t start_bytes, uint64_t size_bytes, int nid, uint64_t nr_taken)
{
	uint64_t nr_pages = size_bytes >> PAGE_SHIFT;
	struct dolmen_memory before;

	add(start_bytes, size_bytes, MEM_USABLE);
	hosted_map(start_bytes, size_bytes);
	dolmen_memory(&before);
	uint64_t got = dolmen_add_range(start_bytes, size_bytes, nid);
	EXPECT(got == nr_pages - nr_taken, "%lu pages of %lu, %s", got, nr_pages, log_text);
	expect_more(&before, nr_pages, nr_taken);
}

static void expect_refused(uint64_t start_bytes, uint64_t size_bytes, int nid, const char *why)
{
	struct dolmen_memory before;

	log_text[0] = 0;
	dolmen_memory(&before);
	EXPECT(!dolmen_add_range(start_bytes, size_bytes, nid), "added: 0x%lx", start_bytes);
	EXPECT(strstr(log_text, why), "0x%lx: not said: %s, but %s", start_bytes, why, log_text);
	expect_more(&before, 0, 0);
}

static void sections_of_its_own(void)
{
	add(0, 64 * MIB, MEM_USABLE);
	max_phys = 256 * MIB;
	expect_start(1, NULL);
	expect_added(128 * MIB, 4 * SECTION_BYTES, NUMA_NO_NODE, 4 * SECTION_MEMMAP_PAGES);
	expect_added(200 * MIB, 56 * MIB, NUMA_NO_NODE, 4 * SECTION_MEMMAP_PAGES);
	use_all_memory();
}

static void the_rest_of_a_section(void)
{
	add(MIB, 19 * MIB + PAGE_SIZE, MEM_USABLE);
	expect_start(1, NULL);
	expect_added(20 * MIB + PAGE_SIZE, 12 * MIB - PAGE_SIZE, 0, 0);
	expect_added(0, MIB, 0, 0);
	use_all_memory();
}

static void reserved_at_first(void)
{
	add(0, 64 * MIB, MEM_USABLE);
	add(35 * MIB, 2 * MIB, MEM_RESERVED);
	expect_start(1, NULL);
	ranges[1].kind = MEM_USABLE;
	expect_added(35 * MIB, MIB, 0, 0);
	expect_refused(36 * MIB - 1, PAGE_SIZE, 0, "no whole page");
	expect_added(36 * MIB, MIB, 0, 0);
	use_all_memory();
}

static void both_sides_of_4g(void)
{
	add(0, 64 * MIB, MEM_USABLE);
	max_phys = 5 * GIB;
	expect_start(1, NULL);
	expect_added(4 * GIB - 32 * MIB, 64 * MIB, 0, 4 * SECTION_MEMMAP_PAGES);
	use_all_memory();
}

/* One page in each place where memory is: late section, early one, metadata, added memory. */
static void memory_already(void)
{
	const char *why = "a part of it is memory already";

	add(0, 200 * MIB + 2 * PAGE_SIZE, MEM_USABLE);
	max_phys = 512 * MIB;
	EXPECT(start(), "does not start"); /* and sections stay late */
	expect_refused(16 * MIB, PAGE_SIZE, 0, why);
	expect_refused(200 * MIB, PAGE_SIZE, 0, why);
	expect_refused(200 * MIB + PAGE_SIZE, 2 * PAGE_SIZE, 0, why);
	expect_refused(port_virt_to_phys(section_table) & ~(PAGE_SIZE - 1), PAGE_SIZE, 0, why);
	expect_added(204 * MIB, PAGE_SIZE, 0, 0);
	expect_refused(203 * MIB, 2 * MIB, 0, why);
	expect_added(300 * MIB, 16 * MIB, 0, 2 * SECTION_MEMMAP_PAGES);
	expect_refused(300 * MIB, PAGE_SIZE, 0, why);
	expect_refused(299 * MIB, 400 * MIB, 0, "past dolmen_init.max_phys");
	expect_refused(0, 512 * MIB, 0, why);
	use_all_memory();
}

static void less_than_it_costs(void)
{
	const uint64_t cost = SECTION_MEMMAP_PAGES << PAGE_SHIFT;

	add(0, 32 * MIB, MEM_USABLE);
	max_phys = 128 * MIB;
	expect_start(1, NULL);
	expect_refused(64 * MIB, cost, 0, "its struct pages would take all of it");
	expect_refused(80 * MIB - cost, 2 * cost, 0, "its struct pages would take all of it");
	expect_added(80 * MIB - cost, 2 * cost + PAGE_SIZE, 0, 2 * SECTION_MEMMAP_PAGES);
	expect_added(64 * MIB, cost, 0, 0);
	use_all_memory();
}

static void past_the_end(void)
{
	add(0, 32 * MIB, MEM_USABLE);
	max_phys = 100 * MIB; /* in a section that begins below */
	expect_start(1, NULL);
	expect_refused(111 * MIB, MIB + PAGE_SIZE, 0, "past dolmen_init.max_phys");
	expect_refused(UINT64_MAX - MIB, MIB, 0, "past dolmen_init.max_phys");
	expect_refused(UINT64_MAX - MIB, 2 * MIB, 0, "past dolmen_init.max_phys");
	expect_refused(UINT64_MAX, UINT64_MAX, 0, "past dolmen_init.max_phys");
	expect_refused(0, UINT64_MAX, 0, "past dolmen_init.max_phys");
	expect_refused(64 * MIB, 0, 0, "no whole page");
	use_all_memory();
}

static void a_table_for_too_much(void)
{
	add(0, 32 * MIB, MEM_USABLE);
	max_phys = 1ul << 44;
	expect_start(1, "a table of more than an eighth of what there is");
	EXPECT(nr_sections == 2, "%lu sections", nr_sections);
}

static unsigned node_at(uint64_t phys)
{
	return page_node(port_load(&pfn_to_page(phys >> PAGE_SHIFT)->pg_word));
}

/* Nodes 0 and 1 have memory, node 2 has none at boot and is nearer to 1. */
static unsigned near_the_last(unsigned from, unsigned to)
{
	return from == to ? 10 : from + to == 3 ? 12 : 20;
}

static void nodes_of_what_comes(void)
{
	add(0, 64 * MIB, MEM_USABLE);
	add(GIB, 64 * MIB, MEM_USABLE);
	hosted_srat_begin(&srat);
	hosted_srat_memory(&srat, 0, 0, GIB);
	hosted_srat_memory(&srat, 1, GIB, GIB);
	hosted_srat_memory(&srat, 2, 2 * GIB, GIB);
	hosted_table_end(&srat);
	hosted_slit(&slit, 3, near_the_last);
	max_phys = 4 * GIB;
	expect_start(3, NULL);
	expect_added(512 * MIB, 16 * MIB, NUMA_NO_NODE, SECTION_MEMMAP_PAGES);
	expect_added(GIB + 512 * MIB, 16 * MIB, NUMA_NO_NODE, SECTION_MEMMAP_PAGES);
	expect_added(2 * GIB, 16 * MIB, NUMA_NO_NODE, SECTION_MEMMAP_PAGES);
	expect_added(3 * GIB, 16 * MIB, NUMA_NO_NODE, SECTION_MEMMAP_PAGES);
	expect_added(3 * GIB + 512 * MIB, 16 * MIB, 1, SECTION_MEMMAP_PAGES);
	expect_added(3 * GIB + 768 * MIB, 16 * MIB, 2, SECTION_MEMMAP_PAGES);
	expect_refused(900 * MIB, 16 * MIB, 3, "no such node");
	expect_refused(900 * MIB, 16 * MIB, -7, "no such node");
	EXPECT(node_at(512 * MIB) == 0 && node_at(GIB + 512 * MIB) == 1 && node_at(2 * GIB) == 1 &&
			node_at(3 * GIB) == 0 && node_at(3 * GIB + 512 * MIB) == 1 &&
			node_at(3 * GIB + 768 * MIB) == 1,
		"%u %u %u", node_at(2 * GIB), node_at(3 * GIB), node_at(3 * GIB + 512 * MIB));
	use_all_memory();
}

static void after_memory_ran_out(void)
{
	struct hoard hoard = {0};

	add(0, 32 * MIB, MEM_USABLE);
	max_phys = 64 * MIB;
	expect_start(1, NULL);
	hoard_fill(&hoard, NUMA_NO_NODE, GFP_ATOMIC);
	EXPECT(!kmalloc(65536, GFP_ATOMIC | __GFP_NOWARN), "memory is left");
	expect_added(32 * MIB, 32 * MIB, 0, 2 * SECTION_MEMMAP_PAGES);
	void *large = kmalloc(65536, GFP_KERNEL);
	EXPECT(large, "nothing of the new memory");
	kfree(large);
	hoard_release(&hoard);
	use_all_memory();
}

/* ---- while others allocate ---- */

static bool stop;
static unsigned long nr_rounds; /* of all threads */

/* Blocks of 64 KiB, which no page cache keeps, and small objects. */
static void *traffic(void *arg)
{
	unsigned long cpu = (unsigned long)arg;
	struct page *pages[16] = {0};
	void *small[16] = {0};

	hosted_enter((unsigned)cpu);
	for (unsigned i = 0; !__atomic_load_n(&stop, __ATOMIC_ACQUIRE) || i % 16; i++) {
		kfree(small[i % 16]);
		small[i % 16] = kmalloc(8ul << i % 12, GFP_ATOMIC | __GFP_NOWARN);
		if (pages[i % 16])
			__free_pages(pages[i % 16], 4);
		pages[i % 16] = alloc_pages(GFP_ATOMIC | __GFP_NOWARN, 4);
		__atomic_add_fetch(&nr_rounds, 1, __ATOMIC_RELAXED);
	}
	for (unsigned i = 0; i < 16; i++) {
		kfree(small[i]);
		if (pages[i])
			__free_pages(pages[i], 4);
	}
	return NULL;
}

static void under_traffic(void)
{
	const uint64_t step = 256 * 1024;
	pthread_t threads[NR_THREADS];

	add(0, 20 * MIB, MEM_USABLE);
	max_phys = 1024 * MIB;
	EXPECT(start(), "does not start");
	for (unsigned long i = 0; i < NR_THREADS; i++)
		pthread_create(&threads[i], NULL, traffic, (void *)(i + 1));
	hosted_map(20 * MIB, max_phys - 20 * MIB);
	add(20 * MIB, max_phys - 20 * MIB, MEM_USABLE);
	for (uint64_t at = 20 * MIB, size; at < max_phys; at += size) {
		unsigned long seen = __atomic_load_n(&nr_rounds, __ATOMIC_RELAXED);

		size = at % SECTION_BYTES ? step : 2 * step;
		while (__atomic_load_n(&nr_rounds, __ATOMIC_RELAXED) == seen)
			sched_yield();
		EXPECT(dolmen_add_range(at, size, 0) == step >> PAGE_SHIFT, "%s", log_text);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	dolmen_drain_all();
	use_all_memory();
}

const struct machine_case later_cases[] = {
	{"memory may come later, in sections without any", sections_of_its_own},
	{"memory may come later beside other in its section, and costs nothing",
		the_rest_of_a_section},
	{"what was reserved at first may become memory", reserved_at_first},
	{"later memory may lie on both sides of 4 GiB, where there was none", both_sides_of_4g},
	{"what is memory already is not added again", memory_already},
	{"later memory that would cost all it brings is refused", less_than_it_costs},
	{"later memory past the end that was promised is refused", past_the_end},
	{"a promised end that would want too large a table is not kept", a_table_for_too_much},
	{"later memory is on the node that tables or caller name, or the nearest with memory",
		nodes_of_what_comes},
	{"later memory serves after memory ran out", after_memory_ran_out},
	{"memory may come while other CPUs allocate", under_traffic},
	{0},
};
