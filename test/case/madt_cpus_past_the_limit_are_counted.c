#include <dolmen/limits.h>
#include "mm/madt.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

_Static_assert(44 + 16 * (DOLMEN_MAX_CPUS + 2) <= ACPI_BYTES_MAX, "the table fits its buffer");

static uint32_t ids[DOLMEN_MAX_CPUS + 1];

CONTRACT("CPUs past the limit are counted and left out, the boot CPU never among them",
	"add_cpu writes behind the last CPU")
{
	struct madt_result madt;
	uint32_t last = 1000 + DOLMEN_MAX_CPUS;

	begin_madt();
	for (uint32_t i = 0; i <= DOLMEN_MAX_CPUS; i++)
		put_madt_x2apic(1000 + i, 1);
	end_table();
	ids[DOLMEN_MAX_CPUS] = 42;
	enum acpi_verdict verdict =
		madt_parse(table.bytes, table.size_bytes, last, ids, DOLMEN_MAX_CPUS, &madt);
	CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
	CHECK(ids[DOLMEN_MAX_CPUS] == 42, "written past the limit");
	CHECK(madt.nr_cpus == DOLMEN_MAX_CPUS, "%u CPUs", madt.nr_cpus);
	CHECK(madt.nr_past_limit == 1, "%u left out", madt.nr_past_limit);
	CHECK(ids[0] == last && !madt.boot_cpu_added, "the boot CPU, listed last, is %u", ids[0]);
	for (uint32_t cpu = 1; cpu < DOLMEN_MAX_CPUS; cpu++)
		CHECK(ids[cpu] == 999 + cpu, "CPU %u is %u", cpu, ids[cpu]);
}
