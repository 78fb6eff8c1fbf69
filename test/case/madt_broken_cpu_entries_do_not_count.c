#include "mm/madt.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

CONTRACT("a local APIC entry that is short, disabled or a broadcast hides no x2APIC CPU; the "
	 "address override wins",
	"has_local_apic_cpus counts every entry of its type")
{
	uint32_t ids[4];
	struct madt_result madt;

	begin_madt();
	put(0 | 7 << 8, 2); /* 7 bytes of 8 */
	put(1, 1);
	put(1, 4);
	put_madt_local_apic(3, 0);
	put_madt_local_apic(0xff, 1);
	put_madt_x2apic(5, 1);
	put(5 | 12 << 8, 4);
	put(0x1fee00000, 8);
	end_table();
	enum acpi_verdict verdict = madt_parse(table.bytes, table.size_bytes, 5, ids, 4, &madt);
	CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
	CHECK(madt.nr_cpus == 1 && ids[0] == 5 && !madt.boot_cpu_added, "%u CPUs", madt.nr_cpus);
	CHECK(madt.nr_short == 1, "%u short entries", madt.nr_short);
	CHECK(madt.lapic_phys == 0x1fee00000, "the APICs are at 0x%lx", madt.lapic_phys);
}
