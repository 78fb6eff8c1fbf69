/*
 * Fuzzes the way from the RSDP to the tables: a piece of physical memory made from the input,
 * with an RSDP, roots and tables in it of which any byte may be wrong, and a search that is slow
 * and simple.
 *
 * Each piece that is asked for is a copy of exact size, so that a read past its end is seen.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/power.h"
#include "test/fuzz/tables.h"

#define MEMORY_START 0x1000u
#define MEMORY_BYTES 4096u
#define RSDP	     (MEMORY_START + 16)
#define RSDT	     (MEMORY_START + 64)
#define XSDT	     (MEMORY_START + 512)
#define TABLES	     (MEMORY_START + 1024)
#define TABLE_BYTES  192u
#define NR_TABLES    16u
#define MAX_COPIES   2048

static uint8_t memory[MEMORY_BYTES];
static void *copies[MAX_COPIES];
static unsigned nr_copies;

/* NULL: not all of it is memory. */
static const uint8_t *look(uint64_t phys, size_t size_bytes)
{
	if (phys < MEMORY_START || phys - MEMORY_START > MEMORY_BYTES ||
		size_bytes > MEMORY_BYTES - (phys - MEMORY_START))
		return NULL;
	return memory + (phys - MEMORY_START);
}

static const void *copy(uint64_t phys, size_t size_bytes)
{
	const uint8_t *from = look(phys, size_bytes);

	if (!from)
		return NULL;
	REQUIRE(nr_copies < MAX_COPIES, "%u pieces were asked for", nr_copies);
	return copies[nr_copies++] = exact_copy(from, size_bytes);
}

/* ---- memory from the input ---- */

static uint8_t *at_phys(uint64_t phys)
{
	return memory + (phys - MEMORY_START);
}

static void put(uint8_t *at, uint64_t value, unsigned size_bytes)
{
	for (unsigned i = 0; i < size_bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static unsigned sum_of(const uint8_t *at, size_t size_bytes)
{
	unsigned sum = 0;

	while (size_bytes--)
		sum += *at++;
	return sum & 0xff;
}

static void fix_sum(uint8_t *at, size_t size_bytes, unsigned offset)
{
	at[offset] = (uint8_t)(at[offset] - sum_of(at, size_bytes));
}

/* The n-th table's address; some are of no table. */
static uint64_t address(unsigned n)
{
	static const uint64_t odd[] = {0, 1, MEMORY_START + MEMORY_BYTES - 36,
		MEMORY_START + MEMORY_BYTES - 35, UINT64_MAX, 0x100000000ull + TABLES, RSDT, XSDT};

	return n < 240 ? TABLES + n % NR_TABLES * TABLE_BYTES : odd[n % 8];
}

static void make_root(struct input *input, uint64_t phys, const char *signature, unsigned bytes)
{
	unsigned nr = take8(input) % 48;
	uint8_t *root = at_phys(phys);

	memcpy(root, signature, 4);
	put(root + 4, 36 + nr * bytes, 4);
	for (unsigned i = 0; i < nr; i++)
		put(root + 36 + i * bytes, address(take8(input)), bytes);
	fix_sum(root, 36 + nr * bytes, 9);
}

static void make_table(struct input *input, unsigned n)
{
	static const char signatures[8][5] = {
		"SRAT", "SLIT", "APIC", "FACP", "FACP", "DSDT", "HPET", "SRAT"};
	unsigned kind = take8(input) % 8;
	uint8_t *table = at_phys(TABLES + n * TABLE_BYTES);

	memcpy(table, signatures[kind], 4);
	put(table + 4, kind == 3 ? 148 : 36 + take8(input) % 150, 4);
	if (!memcmp(table, "FACP", 4)) {
		put(table + 40, address(take8(input)), 4);
		put(table + 76, take16(input), 4);
		put(table + 112, (uint64_t)take8(input) << 8, 4);
		put(table + 116, take8(input) % 2, 1);
		put(table + 120, take16(input), 8);
		put(table + 140, address(take8(input)), 8);
	} else if (!memcmp(table, "DSDT", 4)) {
		memcpy(table + 36 + take8(input) % 100, "\x08_S5_\x12\x06\x04\x0a\x05\x0a\x05", 12);
	}
}

/* RSDP address; everything is right, and then bytes are changed. */
static uint64_t make_memory(struct input *input)
{
	unsigned nr_tables = take8(input) % (NR_TABLES + 1), shape = take8(input);
	uint8_t *rsdp = at_phys(RSDP);

	memset(memory, 0, sizeof(memory));
	memcpy(rsdp, "RSD PTR ", 8);
	rsdp[15] = shape & 3;
	put(rsdp + 16, RSDT, 4);
	put(rsdp + 20, 36, 4);
	put(rsdp + 24, XSDT, 8);
	make_root(input, RSDT, "RSDT", 4);
	make_root(input, XSDT, "XSDT", 8);
	for (unsigned n = 0; n < nr_tables; n++)
		make_table(input, n);
	for (unsigned nr = shape / 4 % 16; nr && input_left(input); nr--) {
		unsigned where = take16(input) % MEMORY_BYTES;

		if (where >= 4000) /* the few bytes that matter most */
			where = RSDP - MEMORY_START + where % 36;
		memory[where] = take8(input);
	}
	if (shape & 0x40) {
		fix_sum(rsdp, 20, 8);
		fix_sum(rsdp, 36, 32);
	}
	return shape < 250 ? RSDP : address(shape);
}

/* ---- the slow search ---- */

struct piece {
	const uint8_t *at;
	size_t size_bytes;
};

static struct piece whole_table(uint64_t phys)
{
	struct piece piece = {phys ? look(phys, 36) : NULL, 0};

	if (!piece.at)
		return piece;
	piece.size_bytes = number_at(piece.at + 4, 4);
	if (piece.size_bytes < 36 || piece.size_bytes > 4u << 20 || !look(phys, piece.size_bytes))
		return (struct piece){0};
	return piece;
}

static bool is_good_root(struct piece piece, const char *signature)
{
	return piece.at && !memcmp(piece.at, signature, 4) && !sum_of(piece.at, piece.size_bytes);
}

/* Bytes of an entry, or 0. */
static unsigned want_root(uint64_t rsdp_phys, struct piece *root)
{
	const uint8_t *rsdp = look(rsdp_phys, 20);

	if (!rsdp_phys || !rsdp || memcmp(rsdp, "RSD PTR ", 8) || sum_of(rsdp, 20))
		return 0;
	if (rsdp[15] >= 2 && look(rsdp_phys, 36)) {
		size_t size_bytes = number_at(rsdp + 20, 4);

		if (size_bytes >= 36 && size_bytes <= 4096 && look(rsdp_phys, size_bytes) &&
			!sum_of(rsdp, size_bytes)) {
			*root = whole_table(number_at(rsdp + 24, 8));
			if (is_good_root(*root, "XSDT"))
				return 8;
		}
	}
	*root = whole_table(number_at(rsdp + 16, 4));
	return is_good_root(*root, "RSDT") ? 4 : 0;
}

static void check_one(
	const struct acpi_bytes *got, const char *signature, struct piece root, unsigned bytes)
{
	size_t nr = bytes ? (root.size_bytes - 36) / bytes : 0;

	for (size_t i = 0; i < nr && i < 256; i++) {
		struct piece table = whole_table(number_at(root.at + 36 + i * bytes, bytes));

		if (!table.at || memcmp(table.at, signature, 4))
			continue;
		REQUIRE(got->bytes && got->size_bytes == table.size_bytes &&
				!memcmp(got->bytes, table.at, table.size_bytes),
			"%s is not the first one listed", signature);
		return;
	}
	REQUIRE(!got->bytes, "%s was found where there is none", signature);
}

static void check_tables(const struct acpi_tables *got, struct piece root, unsigned bytes)
{
	unsigned nr_unusable = 0, nr_known = 0;
	size_t nr = bytes ? (root.size_bytes - 36) / bytes : 0;

	for (size_t i = 0; i < nr; i++) {
		struct piece table = whole_table(number_at(root.at + 36 + i * bytes, bytes));

		nr_unusable += i >= 256 || !table.at;
		nr_known += i < 256 && table.at &&
			    (!memcmp(table.at, "SRAT", 4) || !memcmp(table.at, "SLIT", 4) ||
				    !memcmp(table.at, "APIC", 4) || !memcmp(table.at, "FACP", 4));
	}
	nr_known -= !!got->srat.bytes + !!got->slit.bytes + !!got->madt.bytes + !!got->fadt.bytes;
	REQUIRE(got->nr_tables == nr && got->nr_unusable == nr_unusable &&
			got->nr_repeated == nr_known,
		"%u tables, %u unusable, %u repeated; not %zu, %u, %u", got->nr_tables,
		got->nr_unusable, got->nr_repeated, nr, nr_unusable, nr_known);
}

static void check_dsdt(const struct acpi_tables *got)
{
	const struct acpi_bytes *fadt = &got->fadt;
	uint64_t phys = 0;

	if (fadt->size_bytes >= 148)
		phys = number_at(fadt->bytes + 140, 8);
	if (!phys && fadt->size_bytes >= 44)
		phys = number_at(fadt->bytes + 40, 4);
	struct piece dsdt = whole_table(phys);
	bool good = dsdt.at && !memcmp(dsdt.at, "DSDT", 4);

	REQUIRE(good ? got->dsdt.size_bytes == dsdt.size_bytes &&
				!memcmp(got->dsdt.bytes, dsdt.at, dsdt.size_bytes)
		     : !got->dsdt.bytes,
		"not the DSDT that the FADT names");
}

void fuzz_one(const uint8_t *bytes, size_t size_bytes)
{
	struct input input = {bytes, bytes + size_bytes};
	struct acpi_tables tables;
	struct acpi_power power;
	struct piece root = {0};
	uint64_t rsdp_phys = make_memory(&input);
	unsigned entry_bytes = want_root(rsdp_phys, &root);

	acpi_find(rsdp_phys, copy, &tables);
	REQUIRE(tables.root, "no word on the root");
	check_tables(&tables, root, entry_bytes);
	check_one(&tables.srat, "SRAT", root, entry_bytes);
	check_one(&tables.slit, "SLIT", root, entry_bytes);
	check_one(&tables.madt, "APIC", root, entry_bytes);
	check_one(&tables.fadt, "FACP", root, entry_bytes);
	check_dsdt(&tables);
	acpi_read_power(&tables, &power);
	if (tables.fadt.size_bytes >= 80) {
		uint64_t port = number_at(tables.fadt.bytes + 76, 4);

		REQUIRE(power.pm_timer_port == (port <= 0xffff ? port : 0), "PM timer at %x",
			power.pm_timer_port);
	}
	while (nr_copies)
		free(copies[--nr_copies]);
}
