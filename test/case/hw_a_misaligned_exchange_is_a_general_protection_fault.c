/*
 * The pair in struct page must be 16-byte aligned: the hardware insists, and says where.
 */
#include <dolmen/port.h>
#include "kernel/fault.h"
#include "lib/string.h"
#include "test/contract.h"

#define VECTOR_GENERAL_PROTECTION 13

static char bytes[64] __attribute__((aligned(64)));

static void exchange_at(void *at)
{
	struct port_pair old = {0, 0}, new = {1, 1};

	port_cas16(at, &old, new);
}

CONTRACT("a misaligned cmpxchg16b is a general protection fault, an aligned one is none",
	"the pair is changed by two 8-byte exchanges instead of CMPXCHG16B")
{
	struct fault_seen seen;
	char name[80];

	if (!port_has_cas16()) {
		contract_skip("this CPU has no cmpxchg16b");
		return;
	}
	for (unsigned offset = 0; offset < 32; offset += 8) {
		memset(bytes, 0, sizeof(bytes));
		bool faulted = fault_probe(exchange_at, bytes + offset, &seen);

		CHECK(faulted == (offset % 16 != 0), "offset %u: fault %d", offset, faulted);
		CHECK(bytes[offset] == !faulted, "offset %u holds %d", offset, bytes[offset]);
		if (!faulted)
			continue;
		CHECK(seen.vector == VECTOR_GENERAL_PROTECTION, "vector %u", seen.vector);
		fault_symbol(name, sizeof(name), seen.rip);
		CHECK(strncmp(name, "exchange_at+", 12) == 0, "at %s", name);
	}
}
