/*
 * The rights of the kernel's own page tables, seen from what faults.
 */
#include <dolmen/slab.h>
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/trap.h"
#include "kernel/fault.h"
#include "test/contract.h"

#define RET ((char)0xc3)

#define ERROR_PRESENT 1u
#define ERROR_WRITE   2u
#define ERROR_FETCH   16u

static const char constant[16] = {1};
static char variable[16];

static void write_same(void *at)
{
	*(volatile char *)at = *(volatile char *)at;
}

static void call(void *at)
{
	((void (*)(void))at)();
}

static void check(void (*use)(void *), void *at, unsigned error, const char *what)
{
	struct fault_seen seen = {0};
	bool faulted = fault_probe(use, at, &seen);

	CHECK(faulted == (error != 0), "%s: fault %d", what, faulted);
	CHECK(!faulted || (seen.vector == VECTOR_PAGE_FAULT && seen.error == error),
		"%s: vector %u, error %lx", what, seen.vector, seen.error);
}

CONTRACT("code and constants cannot be written, and data, stack and heap cannot be run",
	"CR0.WP stays clear, or the direct map is built without NX")
{
	char on_stack[16] = {RET};
	char *on_heap = kmalloc(64, GFP_KERNEL);

	check(write_same, (void *)write_same, ERROR_PRESENT | ERROR_WRITE, "write to code");
	check(write_same, (void *)(uintptr_t)constant, ERROR_PRESENT | ERROR_WRITE,
		"write to a constant");
	check(write_same, variable, 0, "write to data");
	CHECK(on_heap, "no memory");
	if (!on_heap)
		return;
	if (cpu_features.nx) {
		variable[0] = *on_heap = RET;
		check(call, variable, ERROR_PRESENT | ERROR_FETCH, "call into data");
		check(call, on_stack, ERROR_PRESENT | ERROR_FETCH, "call into the stack");
		check(call, on_heap, ERROR_PRESENT | ERROR_FETCH, "call into the heap");
	}
	kfree(on_heap);
}
