/*
 * Below each stack lies a page that is never mapped. The fault cannot be pushed there, so it
 * arrives as a double fault on a stack of its own.
 */
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/trap.h"
#include "kernel/fault.h"
#include "kernel/smp.h"
#include "test/contract.h"

static struct fault_seen seen;
static const char *stack;
static bool faulted;

static int go_deeper(volatile int depth)
{
	volatile char frame[256];

	frame[0] = (char)depth;
	if (depth < 0)
		return 0; /* never, but the compiler wants an end */
	return go_deeper(depth + 1) + frame[0];
}

static void overflow(void *unused)
{
	(void)unused;
	go_deeper(0);
}

static void probe_here(void *unused)
{
	(void)unused;
	faulted = fault_probe(overflow, NULL, &seen);
	stack = cpu_stack_guard_hit(this_cpu(), seen.address);
}

CONTRACT("a stack that runs out faults in its guard page, on every CPU",
	"paging_new_stacks() maps the guard pages, too")
{
	for (unsigned cpu = 0; cpu < smp_nr_cpus(); cpu++) {
		if (!smp_online(cpu))
			continue;
		faulted = false;
		stack = NULL;
		smp_call(cpu, probe_here, NULL);
		CHECK(faulted && seen.vector == VECTOR_DOUBLE_FAULT, "CPU %u: fault %d, vector %u",
			cpu, faulted, seen.vector);
		CHECK(stack, "CPU %u: %lx is in no guard page", cpu, seen.address);
	}
}
