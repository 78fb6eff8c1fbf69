/*
 * RSDP to tables, over a small memory made here: each address that firmware could give is either
 * inside it or must not be followed. The map function refuses everything outside, and counts how
 * often it was asked for it.
 */
#include "lib/string.h"
#include "mm/rsdp.h"
#include "test/contract.h"

#define MEMORY_PHYS  0x7fe0000ul
#define MEMORY_BYTES 4096ul

#define AT_RSDP	     0u
#define AT_RSDT	     64u
#define AT_XSDT	     256u
#define AT_SRAT	     512u
#define AT_MADT	     1024u
#define AT_SRAT2     1536u
#define HEADER_BYTES 36u

static uint8_t memory[MEMORY_BYTES];

static const void *map(uint64_t phys, size_t size_bytes)
{
	uint64_t offset = phys - MEMORY_PHYS;

	if (offset >= MEMORY_BYTES || size_bytes > MEMORY_BYTES - offset)
		return NULL;
	return memory + offset;
}

static void put(unsigned at, uint64_t value, unsigned size_bytes)
{
	memcpy(memory + at, &value, size_bytes);
}

static void sum(unsigned at, unsigned size_bytes, unsigned checksum_at)
{
	uint8_t total = 0;

	memory[at + checksum_at] = 0;
	for (unsigned i = 0; i < size_bytes; i++)
		total += memory[at + i];
	memory[at + checksum_at] = (uint8_t)-total;
}

static void put_table(unsigned at, const char *signature, uint32_t size_bytes)
{
	memcpy(memory + at, signature, 4);
	put(at + 4, size_bytes, 4);
	if (at + size_bytes <= MEMORY_BYTES)
		sum(at, size_bytes, 9);
}

static void seal_rsdp(void)
{
	sum(AT_RSDP, 20, 8);
	sum(AT_RSDP, 36, 32);
}

/* Revision 2 with both roots: the XSDT has MADT and two SRATs, the RSDT the MADT alone. */
static void make_memory(void)
{
	memset(memory, 0, sizeof(memory));
	memcpy(memory + AT_RSDP, "RSD PTR ", 8);
	memory[AT_RSDP + 15] = 2;
	put(AT_RSDP + 16, MEMORY_PHYS + AT_RSDT, 4);
	put(AT_RSDP + 20, 36, 4);
	put(AT_RSDP + 24, MEMORY_PHYS + AT_XSDT, 8);
	seal_rsdp();
	put(AT_RSDT + HEADER_BYTES, MEMORY_PHYS + AT_MADT, 4);
	put_table(AT_RSDT, "RSDT", HEADER_BYTES + 4);
	put(AT_XSDT + HEADER_BYTES, MEMORY_PHYS + AT_MADT, 8);
	put(AT_XSDT + HEADER_BYTES + 8, MEMORY_PHYS + AT_SRAT, 8);
	put(AT_XSDT + HEADER_BYTES + 16, MEMORY_PHYS + AT_SRAT2, 8);
	put_table(AT_XSDT, "XSDT", HEADER_BYTES + 24);
	put_table(AT_MADT, "APIC", 100);
	put_table(AT_SRAT, "SRAT", 200);
	put_table(AT_SRAT2, "SRAT", 300);
}

static struct acpi_tables find(uint64_t rsdp_phys)
{
	struct acpi_tables tables;

	acpi_find(rsdp_phys, map, &tables);
	return tables;
}

static void check_roots(void)
{
	make_memory();
	struct acpi_tables t = find(MEMORY_PHYS);

	CHECK(!strcmp(t.root, "XSDT") && t.nr_tables == 3, "%s, %u tables", t.root, t.nr_tables);
	CHECK(t.srat.bytes == memory + AT_SRAT && t.srat.size_bytes == 200,
		"the first SRAT counts");
	CHECK(t.nr_repeated == 1, "%u repeated", t.nr_repeated);

	memory[AT_XSDT + 40]++; /* its checksum */
	t = find(MEMORY_PHYS);
	CHECK(!strcmp(t.root, "RSDT") && t.madt.bytes && !t.srat.bytes, "%s with a bad XSDT",
		t.root);

	make_memory();
	memory[AT_RSDP + 33]++; /* the checksum over 36 bytes, not that over 20 */
	t = find(MEMORY_PHYS);
	CHECK(!strcmp(t.root, "RSDT"), "%s with a bad extended checksum", t.root);

	make_memory();
	memory[AT_RSDP + 15] = 0;
	seal_rsdp();
	t = find(MEMORY_PHYS);
	CHECK(!strcmp(t.root, "RSDT"), "%s in revision 0", t.root);
}

static void check_nothing(const char *what, uint64_t rsdp_phys)
{
	struct acpi_tables t = find(rsdp_phys);

	CHECK(!t.nr_tables && !t.madt.bytes && !t.srat.bytes, "%s: %u tables", what, t.nr_tables);
	CHECK(t.root && *t.root, "%s: no reason", what);
}

static void check_bad_rsdp(void)
{
	make_memory();
	check_nothing("no RSDP", 0);
	check_nothing("an RSDP outside memory", UINT64_MAX - 8);
	check_nothing("an RSDP that memory ends in", MEMORY_PHYS + MEMORY_BYTES - 19);
	memory[AT_RSDP + 8]++;
	check_nothing("a bad checksum", MEMORY_PHYS);
	make_memory();
	memory[AT_RSDP] = 'r';
	seal_rsdp();
	check_nothing("a bad signature", MEMORY_PHYS);
	make_memory();
	memory[AT_XSDT + 1]++;
	memory[AT_RSDT + 1]++;
	check_nothing("no root with its signature", MEMORY_PHYS);
}

static void check_bad_lengths(void)
{
	static const uint32_t lengths[] = {0, 35, MEMORY_BYTES, 0x7fffffff, UINT32_MAX};
	static const uint64_t places[] = {
		0, 1, MEMORY_PHYS - 1, MEMORY_PHYS + MEMORY_BYTES - 35, 1ul << 63, UINT64_MAX};

	for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		make_memory();
		put(AT_SRAT + 4, lengths[i], 4);
		struct acpi_tables t = find(MEMORY_PHYS);

		CHECK(t.srat.bytes == memory + AT_SRAT2 && t.nr_unusable == 1,
			"SRAT of length %u: %u unusable", lengths[i], t.nr_unusable);
		make_memory();
		put(AT_XSDT + 4, lengths[i], 4);
		t = find(MEMORY_PHYS);
		CHECK(!strcmp(t.root, "RSDT"), "%s with an XSDT of length %u", t.root, lengths[i]);
	}
	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		make_memory();
		put(AT_XSDT + HEADER_BYTES + 8, places[i], 8);
		sum(AT_XSDT, HEADER_BYTES + 24, 9);
		struct acpi_tables t = find(MEMORY_PHYS);

		CHECK(t.madt.bytes && t.srat.bytes == memory + AT_SRAT2 && t.nr_unusable == 1,
			"a table at %lx: %u unusable", places[i], t.nr_unusable);
	}
}

CONTRACT("ACPI tables are found through RSDP 0 and 2, and no claim of firmware's leads out of "
	 "memory",
	"map_table() believes the length field without a bound, or a bad XSDT ends the search")
{
	check_roots();
	check_bad_rsdp();
	check_bad_lengths();
}
