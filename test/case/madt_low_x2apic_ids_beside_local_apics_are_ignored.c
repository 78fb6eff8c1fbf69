#include "mm/madt.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

CONTRACT("x2APIC ids below 255 are ignored beside local APIC CPUs, and count without them",
	"has_local_apic_cpus looks at entries before the x2APIC ones only")
{
	uint32_t ids[8];
	struct madt_result madt;

	/* The x2APIC entries come first, and a disabled local APIC entry is no CPU. */
	begin_madt();
	put_madt_x2apic(0, 1);
	put_madt_x2apic(1, 1);
	put_madt_x2apic(300, 1);
	uint32_t local = table.size_bytes;
	put_madt_local_apic(0, 1);
	end_table();
	madt_parse(table.bytes, table.size_bytes, 0, ids, 8, &madt);
	CHECK(madt.nr_cpus == 2 && ids[1] == 300, "%u CPUs", madt.nr_cpus);

	table.bytes[local + 4] = 0;
	end_table();
	madt_parse(table.bytes, table.size_bytes, 0, ids, 8, &madt);
	CHECK(madt.nr_cpus == 3 && ids[1] == 1, "%u CPUs without local APICs", madt.nr_cpus);
}
