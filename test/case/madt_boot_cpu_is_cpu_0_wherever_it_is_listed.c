#include "mm/madt.h"
#include "test/acpi_bytes.h"
#include "test/contract.h"

CONTRACT("the boot CPU is CPU 0 once, whether it is listed first, last, twice or not at all",
	"add_cpu takes the boot CPU like any other")
{
	uint32_t ids[8];
	struct madt_result madt;

	begin_madt();
	put_madt_local_apic(4, 1);
	put_madt_local_apic(2, 1);
	put_madt_local_apic(2, 1);
	put_madt_local_apic(0xff, 1);
	put_madt_local_apic(9, 2);
	end_table();
	enum acpi_verdict verdict = madt_parse(table.bytes, table.size_bytes, 2, ids, 8, &madt);
	CHECK(verdict == ACPI_USABLE, "%s", acpi_verdict_text(verdict));
	CHECK(madt.nr_cpus == 2 && ids[0] == 2 && ids[1] == 4, "%u CPUs", madt.nr_cpus);
	CHECK(!madt.boot_cpu_added && madt.nr_duplicates == 1, "%u duplicates", madt.nr_duplicates);
	CHECK(madt.nr_online_capable == 1, "%u online capable", madt.nr_online_capable);

	madt_parse(table.bytes, table.size_bytes, 7, ids, 8, &madt);
	CHECK(madt.nr_cpus == 3 && ids[0] == 7 && ids[1] == 4 && ids[2] == 2, "%u CPUs",
		madt.nr_cpus);
	CHECK(madt.boot_cpu_added, "not said that the boot CPU was missing");

	verdict = madt_parse(table.bytes, table.size_bytes - 1, 7, ids, 8, &madt);
	CHECK(verdict == ACPI_LENGTH_LONG, "%s", acpi_verdict_text(verdict));
	CHECK(madt.nr_cpus == 1 && ids[0] == 7, "a refused table leaves the boot CPU alone");
}
