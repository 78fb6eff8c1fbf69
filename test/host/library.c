/*
 * libdolmen.a as a program of somebody else would use it, with nothing but its public headers:
 *
 *	library			on a machine of 3 nodes, one of them without memory
 *	library MAP.csv SRAT	on the machine of a memory map and an SRAT
 *
 * Threads of the program's own are the CPUs. Each allocates, and frees what another one allocated;
 * no byte may change in between, and in the end every page must be free again.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dolmen/numa.h>
#include <dolmen/slab.h>
#include <dolmen_hosted.h>

#define NR_CPUS	  4
#define NR_ROUNDS 50000
#define NR_SLOTS  64
#define MAX_BYTES 20000
#define MAX_LINES 64

struct block {
	size_t size_bytes;
	unsigned char bytes[];
};

static _Atomic(struct block *) slots[NR_SLOTS];
static atomic_uint nr_failed, nr_damaged;

void port_log(const char *line)
{
	printf("# %s\n", line);
}

void port_panic(const char *line)
{
	printf("# panic: %s\n", line);
	abort();
}

/* ---- blocks that go from thread to thread ---- */

static struct block *make(size_t size_bytes)
{
	struct block *block = kmalloc(sizeof(*block) + size_bytes, GFP_KERNEL);

	if (block) {
		block->size_bytes = size_bytes;
		memset(block->bytes, (int)(size_bytes % 251), size_bytes);
	} else {
		nr_failed++;
	}
	return block;
}

static void check_and_free(struct block *block)
{
	if (!block)
		return;
	for (size_t i = 0; i < block->size_bytes; i++)
		if (block->bytes[i] != block->size_bytes % 251) {
			nr_damaged++;
			break;
		}
	kfree(block);
}

static void pass_blocks_on(unsigned seed)
{
	for (unsigned i = 0; i < NR_ROUNDS; i++) {
		unsigned most = i % 16 ? 200 : MAX_BYTES;
		struct block *block = make((size_t)rand_r(&seed) % most);

		check_and_free(atomic_exchange(&slots[rand_r(&seed) % NR_SLOTS], block));
	}
}

static void *thread_main(void *arg)
{
	unsigned cpu = (unsigned)(uintptr_t)arg;

	hosted_enter(cpu);
	pass_blocks_on(cpu);
	return NULL;
}

static uint64_t free_pages_now(void)
{
	struct dolmen_memory memory;

	dolmen_drain_all();
	dolmen_memory(&memory);
	return memory.free;
}

/* ---- the machine ---- */

static bool start_described(const char *map_name, const char *srat_name)
{
	static const uint32_t apic_ids[NR_CPUS] = {0, 1, 2, 3};
	static struct mem_range ranges[MAX_LINES];
	static char srat[4096], line[256];
	struct dolmen_init init = {
		.ranges = ranges, .apic_ids = apic_ids, .nr_cpus = NR_CPUS, .srat = srat};
	FILE *map = fopen(map_name, "r"), *table = fopen(srat_name, "rb");

	if (!map || !table) {
		fprintf(stderr, "library: cannot read %s\n", map ? srat_name : map_name);
		return false;
	}
	while (init.nr_ranges < MAX_LINES && fgets(line, sizeof(line), map)) {
		struct mem_range *range = &ranges[init.nr_ranges];

		if (sscanf(line, "%*u,%lx,%lx,%x", &range->start_bytes, &range->size_bytes,
			    &range->kind) == 3)
			init.nr_ranges++;
	}
	init.srat_bytes = fread(srat, 1, sizeof(srat), table);
	fclose(map);
	fclose(table);
	return hosted_start(&init);
}

static void print_machine(void)
{
	struct dolmen_memory memory;

	dolmen_memory(&memory);
	printf("%lu usable pages, %u nodes\n", memory.usable, numa_nr_nodes());
	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++)
		printf("CPU %u: node %u, memory of node %u\n", cpu, cpu_to_node(cpu),
			cpu_to_mem(cpu));
}

int main(int argc, char **argv)
{
	const struct hosted_shape shape = {
		.nr_cpus = NR_CPUS, .nr_nodes = 2, .memoryless = true, .size_bytes = 64ul << 20};
	pthread_t threads[NR_CPUS];
	uint64_t before, after;

	if (!(argc == 3 ? start_described(argv[1], argv[2]) : hosted_start_shape(&shape)))
		return 1;
	print_machine();
	before = free_pages_now();
	for (uintptr_t cpu = 1; cpu < NR_CPUS; cpu++)
		if (pthread_create(&threads[cpu], NULL, thread_main, (void *)cpu))
			return 1;
	pass_blocks_on(0);
	for (unsigned cpu = 1; cpu < NR_CPUS; cpu++)
		pthread_join(threads[cpu], NULL);
	for (unsigned i = 0; i < NR_SLOTS; i++)
		check_and_free(atomic_exchange(&slots[i], NULL));
	after = free_pages_now();
	printf("%u requests failed, %u blocks were damaged, %lu of %lu pages are free again\n",
		nr_failed, nr_damaged, after, before);
	return nr_failed || nr_damaged || after != before;
}
