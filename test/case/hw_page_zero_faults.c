/*
 * NULL and the sentinel of kmalloc(0) must fault on use, for reads and writes, through their whole
 * page.
 */
#include <dolmen/slab.h>
#include "arch/x86_64/trap.h"
#include "kernel/fault.h"
#include "test/contract.h"

static void read_byte(void *at)
{
	*(volatile char *)at;
}

static void write_byte(void *at)
{
	*(volatile char *)at = 1;
}

static void check_faults(char *at)
{
	void (*const uses[])(void *) = {read_byte, write_byte};
	struct fault_seen seen;

	for (unsigned i = 0; i < 2; i++) {
		bool faulted = fault_probe(uses[i], at, &seen);

		CHECK(faulted, "%s of %p went through", i ? "write" : "read", (void *)at);
		if (!faulted)
			continue;
		CHECK(seen.vector == VECTOR_PAGE_FAULT, "vector %u", seen.vector);
		CHECK(seen.address == (uintptr_t)at, "address %lx", seen.address);
		CHECK(seen.error == i * 2u, "error %lx", seen.error);
	}
}

CONTRACT("page 0 is not mapped, so NULL and the result of kmalloc(0) fault on use",
	"the image's identity map starts at address 0")
{
	void *nothing = kmalloc(0, GFP_KERNEL);

	CHECK(nothing != NULL, "kmalloc(0) is NULL");
	check_faults(NULL);
	check_faults(nothing);
	check_faults((char *)PAGE_SIZE - 1);
	kfree(nothing);
}
