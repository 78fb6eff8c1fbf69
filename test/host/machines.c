/*
 * Starts the library on machines that no emulator offers: tables that lie, limits passed by one,
 * memory that hardly suffices, memory that comes later, and random ones. Each in a process of its
 * own, because dolmen_init() runs once. Prints TAP and a closing `N passed, N failed`.
 */
#include "test/host/machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mm/buddy.h"
#include "mm/memmap.h"

#define NR_RANDOM     30
#define NR_SMALL      240
#define NR_SMALL_NODE 150

/* ---- stated machines ---- */

/* Two nodes of 64 MiB, domains 0 and 7, and a CPU of domain 0. */
static void two_nodes(void)
{
	add(0, 64 * MIB, MEM_USABLE);
	add(4 * GIB, 64 * MIB, MEM_USABLE);
	hosted_srat_begin(&srat);
	hosted_srat_memory(&srat, 0, 0, 64 * MIB);
	hosted_srat_memory(&srat, 7, 4 * GIB, 64 * MIB);
	hosted_srat_cpu(&srat, 0, 0);
	hosted_table_end(&srat);
}

static void without_tables(void)
{
	add(1 * MIB, 63 * MIB, MEM_USABLE);
	expect_start(1, NULL);
	EXPECT(cpu_to_node(3) == 0 && numa_distance(0, 0) == 10, "CPU 3 on node %u",
		cpu_to_node(3));
	expect_memory(63 * MIB / PAGE_SIZE, 0);
}

static void srat_cut_off(void)
{
	two_nodes();
	srat.size_bytes -= 30;
	expect_start(1, "SRAT not used, one node");
}

static void srat_domains_overlap(void)
{
	two_nodes();
	hosted_srat_memory(&srat, 3, 63 * MIB, MIB);
	hosted_table_end(&srat);
	expect_start(1, "SRAT not used, one node");
}

static void srat_owns_no_memory(void)
{
	two_nodes();
	hosted_srat_begin(&srat);
	hosted_srat_memory(&srat, 3, 32 * GIB, GIB);
	hosted_table_end(&srat);
	expect_start(1, "SRAT not used, one node");
}

static void cpu_without_entry(void)
{
	two_nodes();
	expect_start(2, "3 CPUs of no known node are on node 0");
	EXPECT(cpu_to_node(2) == 0, "CPU 2 on node %u", cpu_to_node(2));
	EXPECT(numa_pxm(1) == 7, "node 1 is domain %u", numa_pxm(1));
}

static void first_domain_without_memory(void)
{
	two_nodes();
	ranges[0].kind = MEM_RESERVED;
	expect_start(2, "3 CPUs of no known node are on node 1");
	EXPECT(cpu_to_node(0) == 0 && cpu_to_mem(0) == 1, "CPU 0: node %u, memory node %u",
		cpu_to_node(0), cpu_to_mem(0));
	EXPECT(!numa_has_memory(0) && numa_fallback(0, 0) == 1, "node 0 falls back to %d",
		numa_fallback(0, 0));
}

static unsigned by_direction(unsigned from, unsigned to)
{
	return from == to ? 10 : from < to ? 20 : 35;
}

static unsigned wrong_diagonal(unsigned from, unsigned to)
{
	return from == to ? 11 : 20;
}

static void slit_by_direction(void)
{
	two_nodes();
	hosted_slit(&slit, 8, by_direction);
	expect_start(2, NULL);
	EXPECT(numa_distance(0, 1) == 20 && numa_distance(1, 0) == 35, "%u there, %u back",
		numa_distance(0, 1), numa_distance(1, 0));
}

static void slit_with_wrong_diagonal(void)
{
	two_nodes();
	hosted_slit(&slit, 8, wrong_diagonal);
	expect_start(2, "SLIT not used, distances 10 and 20");
	EXPECT(numa_distance(0, 0) == 10 && numa_distance(1, 0) == 20, "%u and %u",
		numa_distance(0, 0), numa_distance(1, 0));
}

/* Domain 3 is nearer to 1 than to 2, whatever their numbers. */
static unsigned far_first(unsigned from, unsigned to)
{
	if (from == to)
		return 10;
	return from == 3 && to == 1 ? 30 : from == 3 && to == 2 ? 21 : 25;
}

static void nearest_memory_is_not_the_first(void)
{
	add(0, 32 * MIB, MEM_USABLE);
	add(GIB, 32 * MIB, MEM_USABLE);
	hosted_srat_begin(&srat);
	hosted_srat_memory(&srat, 1, 0, 32 * MIB);
	hosted_srat_memory(&srat, 2, GIB, 32 * MIB);
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		hosted_srat_cpu(&srat, 3, cpu);
	hosted_table_end(&srat);
	hosted_slit(&slit, 4, far_first);
	expect_start(3, NULL);
	EXPECT(cpu_to_node(0) == 2 && cpu_to_mem(0) == 1, "CPU 0: node %u, memory node %u",
		cpu_to_node(0), cpu_to_mem(0));
}

static void tables_behind_the_rsdp(void)
{
	two_nodes();
	hosted_slit(&slit, 8, by_direction);
	put_tables_behind_rsdp();
	expect_start(2, "acpi: RSDT, 2 tables (0 unusable, 0 repeated), SRAT 152 bytes, SLIT 108");
	EXPECT(numa_distance(1, 0) == 35, "%u back", numa_distance(1, 0));
}

static void an_rsdp_that_cannot_be_mapped(void)
{
	two_nodes();
	put_tables_behind_rsdp();
	rsdp_phys -= PAGE_SIZE;
	expect_start(1, "acpi: RSDP cannot be read");
}

/* ---- nodes by the host ---- */

static const struct node_memory host_memory[] = {
	{4 * GIB, 64 * MIB, 2}, {0, 64 * MIB, 0}, {GIB, GIB, DOLMEN_MAX_NODES}};
static const uint8_t host_cpus[] = {2, 1, 0, 9},
		     host_distances[] = {10, 14, 30, 14, 10, 20, 30, 16, 10};
static struct dolmen_nodes host_nodes = {
	.nr_nodes = 3,
	.memory = host_memory,
	.nr_memory = 3,
	.cpu_nodes = host_cpus,
	.distances = host_distances,
};

static void nodes_by_the_host(void)
{
	two_nodes(); /* whose SRAT is then not looked at */
	nodes = &host_nodes;
	expect_start(3, "1 entries of the host's nodes past the first 3 nodes are ignored");
	EXPECT(strstr(log_text, "1 CPUs of no known node are on node 0"), "CPU 3 is not told");
	EXPECT(cpu_to_node(0) == 2 && cpu_to_node(1) == 1 && cpu_to_mem(1) == 0,
		"CPU 0: node %u; CPU 1: node %u, memory node %u", cpu_to_node(0), cpu_to_node(1),
		cpu_to_mem(1));
	EXPECT(numa_distance(2, 1) == 16 && numa_distance(1, 2) == 20, "%u there, %u back",
		numa_distance(2, 1), numa_distance(1, 2));
}

static void nodes_by_the_host_without_more(void)
{
	two_nodes();
	host_nodes.cpu_nodes = host_nodes.distances = NULL;
	nodes = &host_nodes;
	without_apic_ids = true;
	expect_start(3, "4 CPUs of no known node are on node 0");
	EXPECT(numa_distance(2, 0) == 20, "%u", numa_distance(2, 0));
}

static void nodes_by_the_host_that_own_no_memory(void)
{
	two_nodes();
	host_nodes.nr_memory = 0;
	nodes = &host_nodes;
	expect_start(1, "the host's nodes not used, one node: no memory entry is enabled");
}

static void distances_by_the_host_that_are_wrong(void)
{
	static uint8_t wrong_distances[] = {10, 9, 30, 14, 10, 20, 30, 16, 10};

	two_nodes();
	host_nodes.distances = wrong_distances;
	nodes = &host_nodes;
	expect_start(3, "the host's distances not used, distances 10 and 20");
	EXPECT(numa_distance(2, 1) == 20, "%u", numa_distance(2, 1));
}

static void one_node_too_many(void)
{
	hosted_srat_begin(&srat);
	for (unsigned i = 0; i <= DOLMEN_MAX_NODES; i++) {
		add(i * 16 * MIB, MIB, MEM_USABLE);
		hosted_srat_memory(&srat, i, i * 16 * MIB, MIB);
	}
	hosted_table_end(&srat);
	expect_start(DOLMEN_MAX_NODES, "1 entries of SRAT past the first 64 nodes are ignored");
	EXPECT(strstr(log_text, "256 pages in no entry"), "pages of the last domain are not told");
}

static void one_cpu_too_many(void)
{
	add(0, 128 * MIB, MEM_USABLE);
	nr_cpus = DOLMEN_MAX_CPUS + 1;
	expect_start(1, "cpus: 1 past the limit of 512 are ignored");
	EXPECT(numa_nr_cpus() == DOLMEN_MAX_CPUS, "%u CPUs", numa_nr_cpus());
}

static void more_cpus_than_memory(void)
{
	add(0, 16 * MIB, MEM_USABLE);
	nr_cpus = DOLMEN_MAX_CPUS;
	expect_start(1, "384 past the limit of 128 are ignored, for want of memory");
	EXPECT(numa_nr_cpus() == 128, "%u CPUs", numa_nr_cpus());
}

static void one_range_too_many(void)
{
	add(0, 16 * MIB, MEM_USABLE);
	for (unsigned i = 0; i < DOLMEN_MAX_RANGES; i++)
		add(17 * MIB + i * 4 * PAGE_SIZE, (1 + (i != 500)) * PAGE_SIZE, MEM_USABLE);
	expect_start(1, "1 ranges (1 pages) past the limit of 1024 are not used");
	expect_memory(16 * MIB / PAGE_SIZE + 2 * DOLMEN_MAX_RANGES - 1, 1);
}

static void no_usable_page(void)
{
	add(0x1800, 0xfff, MEM_USABLE);
	add(GIB, MIB, MEM_RESERVED);
	EXPECT(!start(), "it starts");
	EXPECT(strstr(log_text, "no usable page"), "not said");
}

static void a_page_far_away(void)
{
	add(0, 32 * MIB, MEM_USABLE);
	add(1ul << 44, PAGE_SIZE, MEM_USABLE);
	add(1ul << 61, PAGE_SIZE, MEM_USABLE);
	expect_start(1, "1 pages at 0x100000000000 are too far away to be used");
	EXPECT(strstr(log_text, "1 pages at 0x2000000000000000 are too far"), "not said");
	expect_memory(32 * MIB / PAGE_SIZE + 2, 2);
	EXPECT(nr_sections == 2, "%lu sections", nr_sections);
}

/* Each wants 64 pages of memmap for its one page: there is no memory for all. */
static void pages_scattered_over_sections(void)
{
	struct dolmen_memory memory;

	add(0, 4 * MIB, MEM_USABLE);
	for (unsigned i = 1; i < 300; i++)
		add(i * 16 * MIB, PAGE_SIZE, MEM_USABLE);
	expect_start(1, "whose pages stay unused");
	dolmen_memory(&memory);
	EXPECT(memory.reserved && memory.reserved < 300, "%lu pages reserved", memory.reserved);
}

static void one_mib(void)
{
	nr_cpus = 1;
	add(0, MIB, MEM_USABLE);
	expect_start(1, NULL);
}

static void nodes_that_meet_inside_a_section(void)
{
	const uint64_t border = 24 * MIB + 3 * PAGE_SIZE;

	add(0, 64 * MIB, MEM_USABLE);
	hosted_srat_begin(&srat);
	hosted_srat_memory(&srat, 0, 0, border);
	hosted_srat_memory(&srat, 1, border, 64 * MIB - border);
	hosted_table_end(&srat);
	expect_start(2, NULL);
}

static void memory_across_4g(void)
{
	add(4 * GIB - 64 * MIB, 128 * MIB, MEM_USABLE);
	expect_start(1, NULL);
	for (unsigned order = 0; order <= DOLMEN_MAX_ORDER; order++) {
		void *block = __get_free_pages(GFP_DMA32, order);

		EXPECT(block && port_virt_to_phys(block) < 4 * GIB, "order %u: %p", order, block);
		free_pages(block, order);
	}
}

static void range_past_the_end(void)
{
	add(0, 32 * MIB, MEM_USABLE);
	add(UINT64_MAX - MIB, GIB, MEM_USABLE);
	expect_start(1, "1 ranges that pass 2^64 are ignored");
	expect_memory(32 * MIB / PAGE_SIZE, 0);
}

static void no_cpus(void)
{
	nr_cpus = 0;
	add(0, 32 * MIB, MEM_USABLE);
	expect_start(1, NULL);
	EXPECT(numa_nr_cpus() == 1, "%u CPUs", numa_nr_cpus());
}

static void srat_memory_past_the_limit(void)
{
	add(0, 64 * MIB, MEM_USABLE);
	hosted_srat_begin(&srat);
	for (unsigned i = 0; i <= DOLMEN_MAX_RANGES; i++)
		hosted_srat_memory(&srat, i & 1, i * 4 * PAGE_SIZE, 4 * PAGE_SIZE);
	hosted_table_end(&srat);
	expect_start(2, "1 memory entries of SRAT past the first 1024 are ignored");
	expect_memory(64 * MIB / PAGE_SIZE, 0);
}

/* 1/256 of 8 GiB would be 32 MiB. */
static void reserve_of_a_large_machine(void)
{
	add(4 * GIB, 8 * GIB, MEM_USABLE);
	EXPECT(start(), "does not start: %s", log_text);
	EXPECT(port_load(&node_zones[0][ZONE_NORMAL].zn_marks[MARK_MIN]) == 4 * MIB / PAGE_SIZE,
		"%lu pages", port_load(&node_zones[0][ZONE_NORMAL].zn_marks[MARK_MIN]));
}

/* ---- random machines ---- */

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
	random_state = random_state * 6364136223846793005ul + 1442695040888963407ul;
	return (random_state >> 33) % below;
}

static unsigned random_distance(unsigned from, unsigned to)
{
	return from == to ? 10 : 11 + (unsigned)draw(200);
}

static void random_machine(void)
{
	unsigned nr_domains = 1 + (unsigned)draw(6);
	uint64_t border = 0;

	add(draw(64) * PAGE_SIZE / 4, 8 * MIB + draw(24 * MIB), MEM_USABLE);
	for (unsigned i = (unsigned)draw(20); i > 0; i--)
		add(draw(8 * GIB), draw(i % 3 ? 4 * MIB : 40 * PAGE_SIZE),
			draw(4) ? MEM_USABLE : MEM_RESERVED);
	nr_cpus = 1 + (unsigned)draw(12);
	hosted_srat_begin(&srat);
	for (unsigned i = 0; i < 12; i++) {
		uint64_t size = 1 + draw(16) * draw(16) * draw(8) * MIB + draw(PAGE_SIZE);

		border += draw(3) ? 0 : draw(64 * MIB);
		hosted_srat_memory(&srat, (uint32_t)draw(nr_domains) * 5, border, size);
		border += size;
	}
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		if (draw(8))
			hosted_srat_cpu(&srat, (uint32_t)draw(nr_domains + 1) * 5, cpu);
	hosted_table_end(&srat);
	if (!draw(4))
		srat.size_bytes = 0;
	if (draw(2))
		hosted_slit(&slit, 5 * nr_domains + 1, random_distance);

	EXPECT(start(), "does not start: %s", log_text);
	if (nr_wrong)
		return;
	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++)
		EXPECT(cpu_to_node(cpu) < numa_nr_nodes() && numa_has_memory(cpu_to_mem(cpu)),
			"CPU %u: node %u, memory node %u", cpu, cpu_to_node(cpu), cpu_to_mem(cpu));
	use_all_memory();
}

/* The seed is its size in pages: each allocation of a start is once the first that fails. */
static void small_machine(void)
{
	nr_cpus = 1;
	add(0, random_state << PAGE_SHIFT, MEM_USABLE);
	if (start())
		use_all_memory();
	else
		EXPECT(log_text[0], "it neither starts nor says why not");
}

/* The seed is the second node's size in pages. Each node serves its CPU, itself or by the other. */
static void small_node(void)
{
	const uint64_t border = 16 * MIB, size = random_state << PAGE_SHIFT;
	struct kmem_cache *cache;

	nr_cpus = 2;
	add(0, border + size, MEM_USABLE);
	hosted_srat_begin(&srat);
	hosted_srat_memory(&srat, 0, 0, border);
	hosted_srat_memory(&srat, 1, border, size);
	hosted_srat_cpu(&srat, 0, 0);
	hosted_srat_cpu(&srat, 1, 1);
	hosted_table_end(&srat);
	EXPECT(start(), "does not start: %s", log_text);
	cache = kmem_cache_create("small node", 1000, 0, 0, NULL);
	EXPECT(cache, "no cache");
	for (int nid = 0; nid < 2 && cache; nid++) {
		void *objects[20];

		for (unsigned i = 0; i < 20; i++) {
			objects[i] = kmem_cache_alloc_node(cache, GFP_KERNEL, nid);
			EXPECT(objects[i], "node %d has no object %u", nid, i);
		}
		for (unsigned i = 0; i < 20; i++)
			kmem_cache_free(cache, objects[i]);
	}
	EXPECT(kmem_cache_destroy(cache), "objects are lost");
	dolmen_drain_all();
	use_all_memory();
}

/* ---- the run ---- */

static const struct machine_case machines[] = {
	{"a machine without tables is one node", without_tables},
	{"a SRAT cut off costs the nodes, not the boot", srat_cut_off},
	{"a SRAT that gives memory to two domains costs the nodes, not the boot",
		srat_domains_overlap},
	{"a SRAT that owns no memory costs the nodes, not the boot", srat_owns_no_memory},
	{"CPUs without an SRAT entry are on the first node with memory", cpu_without_entry},
	{"a CPU of a node without memory uses the other's", first_domain_without_memory},
	{"distances that differ by direction are kept so", slit_by_direction},
	{"a SLIT with a wrong diagonal gives way to 10 and 20", slit_with_wrong_diagonal},
	{"the nearest memory is by distance, not by number", nearest_memory_is_not_the_first},
	{"tables are found behind the RSDP that the host names", tables_behind_the_rsdp},
	{"an RSDP that cannot be mapped costs the nodes, not the boot",
		an_rsdp_that_cannot_be_mapped},
	{"nodes by the host come before all tables", nodes_by_the_host},
	{"the host need not name CPUs and distances of its nodes", nodes_by_the_host_without_more},
	{"nodes by the host without memory are one node", nodes_by_the_host_that_own_no_memory},
	{"wrong distances by the host give way to 10 and 20", distances_by_the_host_that_are_wrong},
	{"the domain past the limit is ignored and its memory is not lost", one_node_too_many},
	{"the CPU past the limit is ignored", one_cpu_too_many},
	{"CPUs for whose areas there is no memory are ignored", more_cpus_than_memory},
	{"the smallest range past the limit is reserved", one_range_too_many},
	{"without a usable page it does not start, and says so", no_usable_page},
	{"a page so far away that it would cost more than it brings is reserved", a_page_far_away},
	{"sections for whose struct pages there is no memory are reserved",
		pages_scattered_over_sections},
	{"1 MiB suffices for one CPU", one_mib},
	{"nodes may meet inside a section", nodes_that_meet_inside_a_section},
	{"one range may lie on both sides of 4 GiB", memory_across_4g},
	{"a range that passes 2^64 is ignored", range_past_the_end},
	{"without an APIC id there is one CPU", no_cpus},
	{"the SRAT memory entry past the limit is ignored, and its memory is not lost",
		srat_memory_past_the_limit},
	{"what is kept for GFP_ATOMIC is 4 MiB at most", reserve_of_a_large_machine},
	{0},
};

static unsigned nr_tests, nr_failed;

static void run(const char *sentence, unsigned long seed, void (*fn)(void))
{
	int status = 1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		random_state = seed;
		fn();
		fflush(stdout);
		exit(nr_wrong != 0);
	}
	waitpid(child, &status, 0);
	printf("%sok %u - %s", status ? "not " : "", ++nr_tests, sentence);
	if (seed)
		printf(" %lu", seed);
	printf("\n");
	nr_failed += status != 0;
}

int main(int argc, char **argv)
{
	unsigned long first = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;

	for (const struct machine_case *c = machines; argc < 2 && c->run; c++)
		run(c->sentence, 0, c->run);
	for (const struct machine_case *c = later_cases; argc < 2 && c->run; c++)
		run(c->sentence, 0, c->run);
	for (unsigned long seed = 1; argc < 2 && seed <= NR_SMALL; seed++)
		run("with hardly any memory it starts or says why not, pages:", seed,
			small_machine);
	for (unsigned long seed = 1; argc < 2 && seed <= NR_SMALL_NODE; seed++)
		run("beside a node of hardly any memory it starts and serves both, pages:", seed,
			small_node);
	for (unsigned long seed = first; seed < first + NR_RANDOM; seed++)
		run("a random machine starts and gives out all its memory, seed", seed,
			random_machine);
	printf("1..%u\n%u passed, %u failed\n", nr_tests, nr_tests - nr_failed, nr_failed);
	return nr_failed ? 1 : 0;
}
