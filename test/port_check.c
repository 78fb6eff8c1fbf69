#include "test/port_check.h"

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include <dolmen/port.h>
#include <dolmen/slab.h>

#include "test/contract.h"
#include "test/runner.h"

#define NR_SLOTS	64
#define MAX_BYTES	3000
#define NR_INTERRUPTS	50 /* that each CPU must have seen */
#define SLOTS_PER_ROUND 8
#define NR_TIMED_ROUNDS 100

static unsigned nr_points, nr_failed;

static struct block {
	uint32_t size_bytes;
	unsigned char bytes[];
} * slots[NR_SLOTS];

static uint32_t nr_damaged, nr_interrupts[DOLMEN_MAX_CPUS];
static uint64_t nr_allocated;

void port_check_expect(bool holds, const char *what)
{
	runner_print("%s %u - %s", holds ? "ok" : "not ok", ++nr_points, what);
	nr_failed += !holds;
}

void port_check_log(const char *line)
{
	runner_note_log(line);
	if (!runner_active())
		runner_print("# %s", line);
}

/* A block of any size goes where another one is, which is checked and freed. */
static void pass_on(void)
{
	uint32_t size_bytes = (uint32_t)(test_random() % MAX_BYTES);
	struct block *block = kmalloc(sizeof(*block) + size_bytes, GFP_ATOMIC);

	if (block) {
		port_fetch_add(&nr_allocated, 1ul);
		block->size_bytes = size_bytes;
		for (uint32_t i = 0; i < size_bytes; i++)
			block->bytes[i] = (unsigned char)size_bytes;
	}
	block = port_swap(&slots[test_random() % NR_SLOTS], block);
	for (uint32_t i = 0; block && i < block->size_bytes; i++)
		if (block->bytes[i] != (unsigned char)block->size_bytes) {
			port_fetch_add(&nr_damaged, 1u);
			break;
		}
	kfree(block);
}

static void on_interrupt(void)
{
	pass_on();
	dolmen_tick();
	port_fetch_add(&nr_interrupts[port_cpu()], 1u);
}

static void ride_the_storm(void *unused)
{
	(void)unused;
	port_check_storm(on_interrupt);
	while (port_load(&nr_interrupts[port_cpu()]) < NR_INTERRUPTS)
		for (unsigned n = 0; n < SLOTS_PER_ROUND; n++)
			pass_on();
	port_check_storm(NULL);
}

static bool storm_is_survived(void)
{
	struct dolmen_memory before, after;

	dolmen_drain_all();
	dolmen_memory(&before);
	test_run_on_all(ride_the_storm, NULL);
	for (unsigned i = 0; i < NR_SLOTS; i++)
		kfree(port_swap(&slots[i], (struct block *)NULL));
	dolmen_drain_all();
	dolmen_memory(&after);
	runner_print("# storm: %lu blocks, %u damaged, %lu pages free before, %lu after",
		nr_allocated, nr_damaged, before.free, after.free);
	return nr_allocated && !nr_damaged && before.free == after.free;
}

static uint64_t ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* What a pair costs on this port: the least of some, none interrupted. */
static void tell_cost(void)
{
	uint64_t none = UINT64_MAX, alloc = UINT64_MAX, free = UINT64_MAX, at[4];

	for (unsigned round = 0; round < NR_TIMED_ROUNDS; round++) {
		at[0] = ticks();
		at[1] = ticks();
		void *object = kmalloc(64, GFP_KERNEL);

		at[2] = ticks();
		kfree(object);
		at[3] = ticks();
		none = at[1] - at[0] < none ? at[1] - at[0] : none;
		alloc = at[2] - at[1] < alloc ? at[2] - at[1] : alloc;
		free = at[3] - at[2] < free ? at[3] - at[2] : free;
	}
	runner_print("# kmalloc(64) takes %lu ticks of the TSC, its kfree %lu", alloc - none,
		free - none);
}

bool port_check(void)
{
	runner_print("# host: %u CPUs, %u nodes", test_nr_cpus(), numa_nr_nodes());
	tell_cost();
	port_check_expect(storm_is_survived(), "an interrupt storm loses nothing");
	nr_failed += runner_run(NULL, 1);
	if (!nr_failed)
		runner_print("dolmen: commands done, all succeeded");
	return !nr_failed;
}

/* ---- what contracts ask of the place that they run in, by the kernel's means ---- */

void runner_write(const char *text, size_t length)
{
	port_check_write(text, length);
}

unsigned test_nr_cpus(void)
{
	return port_check_nr_cpus();
}

void test_start_on(unsigned cpu, void (*fn)(void *), void *arg)
{
	port_check_start_on(cpu, fn, arg);
}

void test_wait_for(unsigned cpu)
{
	port_check_wait_for(cpu);
}

void test_interrupt(unsigned cpu, void (*fn)(void *), void *arg)
{
	port_check_interrupt(cpu, fn, arg);
}

void port_check_run_on_all(void (*fn)(void *), void *arg)
{
	test_run_on_all(fn, arg);
}
