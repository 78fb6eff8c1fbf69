/*
 * A boot loader that stands for Limine where it is not at hand: GRUB starts it, with a kernel as
 * its module, and it starts that one as base revision 3 of the protocol says, and no friendlier:
 * what need not be mapped is not.
 */
#include <elf.h>

#include "lib/memory.h"
#include "test/embed/limine/protocol.h"
#include "test/embed/small/small.h"

#define PAGE_BYTES   4096ul
#define LARGE_BYTES  (2ul << 20)
#define HHDM	     0xffff800000000000ul
#define MAX_ENTRIES  512
#define POOL_BYTES   (4ul << 20) /* tables, stacks, answers */
#define STACK_BYTES  (64ul << 10)
#define FOUR_GIB     (1ul << 32)
#define PAGE_HERE    1ul
#define PAGE_WRITE   2ul
#define PAGE_LARGE   0x80ul
#define PAGE_NO_EXEC (1ul << 63)
#define PAGE_ADDRESS 0x000ffffffffff000ul

enum { TAG_END = 0, TAG_MODULE = 3, TAG_MEMORY_MAP = 6, TAG_RSDP_OLD = 14, TAG_RSDP_NEW = 15 };

struct tag {
	uint32_t type, size_bytes;
	union {
		struct {
			uint32_t start, end;
		} module;
		struct {
			uint32_t entry_bytes, version;
			char entries[];
		} map;
		char rsdp[1];
	};
};

struct multiboot_entry {
	uint64_t base, length;
	uint32_t type, reserved;
};

typedef void enter_function(
	uint64_t cr3, void *entry, void *stack, void *argument, const void *gdt_register);

extern char small_image[], small_image_end[];
extern enter_function enter;

static const void *info;
static struct limine_entry entries[MAX_ENTRIES];
static unsigned nr_entries;
static char *pool, *pool_end;
static char *firmware_page; /* where the root of ACPI's tables lies: in no direct map */
static uint64_t *root;
static struct {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed)) * gdt_register;

static __attribute__((noreturn)) void give_up(const char *line)
{
	while (*line)
		small_write(line++, 1);
	small_exit(false);
}

/* ---- what GRUB says ---- */

static const struct tag *find_tag(uint32_t type)
{
	const struct tag *tag = (const void *)((const char *)info + 8);

	while (tag->type != TAG_END && tag->type != type)
		tag = (const void *)((const char *)tag + (tag->size_bytes + 7) / 8 * 8);
	return tag->type == type ? tag : NULL;
}

/* ---- the memory map ---- */

static void add_entry(unsigned at, uint64_t start, uint64_t end, uint64_t type)
{
	if (start >= end)
		return;
	if (nr_entries == MAX_ENTRIES)
		give_up("loader: too many ranges of memory\n");
	memmove(&entries[at + 1], &entries[at], (nr_entries - at) * sizeof(*entries));
	entries[at] = (struct limine_entry){start, end - start, type};
	nr_entries++;
}

/* By address; usable entries end at pages. */
static void read_map(void)
{
	static const uint8_t types[] = {LIMINE_RESERVED, LIMINE_USABLE, LIMINE_RESERVED,
		LIMINE_ACPI_RECLAIMABLE, LIMINE_ACPI_NVS, LIMINE_BAD};
	const struct tag *tag = find_tag(TAG_MEMORY_MAP);

	if (!tag)
		give_up("loader: GRUB gave no memory map\n");
	for (const char *at = tag->map.entries; at < (const char *)tag + tag->size_bytes;
		at += tag->map.entry_bytes) {
		const struct multiboot_entry *from = (const void *)at;
		uint64_t start = from->base, end = start + from->length;
		uint64_t type = from->type < sizeof(types) ? types[from->type] : LIMINE_RESERVED;
		unsigned place = 0;

		if (type == LIMINE_USABLE) {
			start = (start + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
			end &= ~(PAGE_BYTES - 1);
		}
		while (place < nr_entries && entries[place].base < start)
			place++;
		add_entry(place, start, end, type);
	}
}

/* What of it is usable becomes `type`. */
static void take(uint64_t start, uint64_t end, enum limine_memory type)
{
	start &= ~(PAGE_BYTES - 1);
	end = (end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	for (unsigned i = 0; i < nr_entries; i++) {
		uint64_t from = entries[i].base, to = from + entries[i].length;

		if (entries[i].type != LIMINE_USABLE || end <= from || start >= to)
			continue;
		entries[i].type = type;
		if (end < to) {
			entries[i].length = end - from;
			add_entry(i + 1, end, to, LIMINE_USABLE);
		}
		if (start > from) {
			entries[i].base = start;
			entries[i].length -= start - from;
			add_entry(i++, from, start, LIMINE_USABLE);
		}
	}
}

/* The end of the largest usable entry below 4 GiB. */
static char *take_new(uint64_t size_bytes, enum limine_memory type)
{
	const struct limine_entry *best = NULL;
	uint64_t at;

	for (unsigned i = 0; i < nr_entries; i++)
		if (entries[i].type == LIMINE_USABLE &&
			entries[i].base + entries[i].length <= FOUR_GIB &&
			(!best || entries[i].length > best->length))
			best = &entries[i];
	size_bytes = (size_bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	if (!best || best->length < size_bytes)
		give_up("loader: too little memory\n");
	at = best->base + best->length - size_bytes;
	take(at, at + size_bytes, type);
	return memset((void *)at, 0, size_bytes);
}

static void *from_pool(uint64_t size_bytes, uint64_t alignment)
{
	char *start = (char *)(((uint64_t)pool + alignment - 1) & ~(alignment - 1));

	pool = start + size_bytes;
	if (pool > pool_end)
		give_up("loader: the pool is empty\n");
	return start;
}

/* Where the kernel sees it. */
static void *high(const void *phys)
{
	return (void *)(HHDM + (uint64_t)phys);
}

/* Its end. */
static void *new_stack(void)
{
	return high((char *)from_pool(STACK_BYTES, 16) + STACK_BYTES);
}

/* ---- page tables ---- */

static uint64_t *entry_of(uint64_t virt, unsigned lowest_level)
{
	uint64_t *table = root, *entry;

	for (unsigned level = 3;; level--) {
		entry = &table[virt >> (12 + 9 * level) & 511];
		if (level == lowest_level)
			return entry;
		if (!*entry)
			*entry = (uint64_t)from_pool(PAGE_BYTES, PAGE_BYTES) | PAGE_HERE |
				 PAGE_WRITE;
		table = (uint64_t *)(*entry & PAGE_ADDRESS);
	}
}

static void map(uint64_t virt, uint64_t phys, uint64_t end, uint64_t flags)
{
	phys &= ~(PAGE_BYTES - 1);
	while (phys < end)
		if (!((virt | phys) & (LARGE_BYTES - 1)) && end - phys >= LARGE_BYTES) {
			*entry_of(virt, 1) = phys | flags | PAGE_HERE | PAGE_LARGE;
			virt += LARGE_BYTES;
			phys += LARGE_BYTES;
		} else {
			*entry_of(virt, 0) = phys | flags | PAGE_HERE;
			virt += PAGE_BYTES;
			phys += PAGE_BYTES;
		}
}

static void map_memory(void)
{
	for (unsigned i = 0; i < nr_entries; i++)
		if (entries[i].type == LIMINE_USABLE ||
			entries[i].type == LIMINE_LOADER_RECLAIMABLE ||
			entries[i].type == LIMINE_IMAGE_AND_MODULES)
			map(HHDM + entries[i].base, entries[i].base,
				entries[i].base + entries[i].length, PAGE_WRITE);
}

/* ---- the kernel ---- */

struct kernel {
	const char *file;
	char *image; /* of physical memory; where virtual_base is mapped */
	uint64_t virtual_base, size_bytes;
	void *entry;
};

static const Elf64_Phdr *segments(const struct kernel *kernel, unsigned *nr)
{
	const Elf64_Ehdr *head = (const void *)kernel->file;

	*nr = head->e_phnum;
	return (const void *)(kernel->file + head->e_phoff);
}

static void load(struct kernel *kernel)
{
	const struct tag *module = find_tag(TAG_MODULE);
	uint64_t end = 0;
	unsigned nr;

	if (!module)
		give_up("loader: no module\n");
	kernel->file = (const char *)(uint64_t)module->module.start;
	if (memcmp(kernel->file, ELFMAG, SELFMAG))
		give_up("loader: the module is no ELF file\n");
	take(module->module.start, module->module.end, LIMINE_LOADER_RECLAIMABLE);
	kernel->entry = (void *)((const Elf64_Ehdr *)kernel->file)->e_entry;
	kernel->virtual_base = UINT64_MAX;
	for (const Elf64_Phdr *segment = segments(kernel, &nr); nr--; segment++) {
		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_vaddr < kernel->virtual_base)
			kernel->virtual_base = segment->p_vaddr & ~(PAGE_BYTES - 1);
		if (segment->p_vaddr + segment->p_memsz > end)
			end = segment->p_vaddr + segment->p_memsz;
	}
	kernel->size_bytes = end - kernel->virtual_base;
	kernel->image = take_new(kernel->size_bytes, LIMINE_IMAGE_AND_MODULES);
	for (const Elf64_Phdr *segment = segments(kernel, &nr); nr--; segment++)
		if (segment->p_type == PT_LOAD)
			memcpy(kernel->image + (segment->p_vaddr - kernel->virtual_base),
				kernel->file + segment->p_offset, segment->p_filesz);
}

static void map_kernel(const struct kernel *kernel)
{
	unsigned nr;

	for (const Elf64_Phdr *segment = segments(kernel, &nr); nr--; segment++) {
		uint64_t phys = (uint64_t)kernel->image + (segment->p_vaddr - kernel->virtual_base);

		if (segment->p_type == PT_LOAD)
			map(segment->p_vaddr & ~(PAGE_BYTES - 1), phys, phys + segment->p_memsz,
				(segment->p_flags & PF_W ? PAGE_WRITE : 0) |
					(segment->p_flags & PF_X ? 0 : PAGE_NO_EXEC));
	}
}

/* ---- answers ---- */

static void answer(const struct kernel *kernel, const uint64_t id[4], const void *response)
{
	for (uint64_t at = 0; at + sizeof(struct limine_request) <= kernel->size_bytes; at += 8) {
		struct limine_request *request = (void *)(kernel->image + at);

		if (!memcmp(request->id, id, sizeof(request->id)))
			request->response = high(response);
	}
}

/* True if the kernel wants revision 3. */
static bool agree(const struct kernel *kernel)
{
	static const uint64_t tag[3] = LIMINE_REVISION(3);

	for (uint64_t at = 0; at + sizeof(tag) <= kernel->size_bytes; at += 8) {
		uint64_t *revision = (void *)(kernel->image + at);

		if (!memcmp(revision, tag, sizeof(tag))) {
			revision[1] = 3;
			revision[2] = 0;
			return true;
		}
	}
	return false;
}

#define NEW(type) ((type *)from_pool(sizeof(type), 8))
#define ANSWER(kernel, id_, response)                                                              \
	do {                                                                                       \
		static const uint64_t id[4] = id_;                                                 \
		answer(kernel, id, response);                                                      \
	} while (0)

static void answer_memory(const struct kernel *kernel)
{
	struct limine_hhdm *hhdm = NEW(struct limine_hhdm);
	struct limine_image *image = NEW(struct limine_image);
	struct limine_memmap *memmap = NEW(struct limine_memmap);
	struct limine_entry *copy = from_pool(nr_entries * sizeof(*copy), 8);

	hhdm->offset = HHDM;
	image->physical_base = (uint64_t)kernel->image;
	image->virtual_base = kernel->virtual_base;
	memmap->nr_entries = nr_entries;
	memmap->entries = from_pool(nr_entries * sizeof(copy), 8);
	memcpy(copy, entries, nr_entries * sizeof(*copy));
	for (unsigned i = 0; i < nr_entries; i++)
		memmap->entries[i] = high(&copy[i]);
	memmap->entries = high(memmap->entries);
	ANSWER(kernel, LIMINE_ID_HHDM, hhdm);
	ANSWER(kernel, LIMINE_ID_IMAGE, image);
	ANSWER(kernel, LIMINE_ID_MEMMAP, memmap);
}

static const void *answer_rsdp(const struct kernel *kernel)
{
	const struct tag *tag = find_tag(TAG_RSDP_NEW);
	struct limine_rsdp *rsdp = NEW(struct limine_rsdp);

	tag = tag ? tag : find_tag(TAG_RSDP_OLD);
	if (!tag)
		return NULL;
	memcpy(firmware_page, tag->rsdp, tag->size_bytes - 8);
	rsdp->address = (uint64_t)firmware_page;
	ANSWER(kernel, LIMINE_ID_RSDP, rsdp);
	return firmware_page;
}

static struct limine_cpu **answer_cpus(const struct kernel *kernel, const void *rsdp)
{
	static uint32_t apic_ids[SMALL_MAX_CPUS];
	struct limine_mp *mp = NEW(struct limine_mp);
	struct limine_cpu **cpus = from_pool(SMALL_MAX_CPUS * sizeof(*cpus), 8);

	mp->nr_cpus = small_start_cpus(small_find_table(rsdp, "APIC"), apic_ids);
	mp->first_apic_id = apic_ids[0];
	for (uint64_t i = 0; i < mp->nr_cpus; i++) {
		struct limine_cpu *cpu = NEW(struct limine_cpu);

		cpu->acpi_id = (uint32_t)i;
		cpu->apic_id = apic_ids[i];
		cpu->reserved = (uint64_t)new_stack();
		cpus[i] = high(cpu);
	}
	mp->cpus = high(cpus);
	ANSWER(kernel, LIMINE_ID_MP, mp);
	return cpus;
}

/* ---- the way in ---- */

static void make_gdt(void)
{
	static const uint64_t descriptors[] = {0, 0x00009a000000ffff, 0x000092000000ffff,
		0x00cf9a000000ffff, 0x00cf92000000ffff, 0x00209a0000000000, 0x0000920000000000};
	uint64_t *gdt = from_pool(sizeof(descriptors), 8);

	memcpy(gdt, descriptors, sizeof(descriptors));
	gdt_register = from_pool(sizeof(*gdt_register), 8);
	gdt_register->limit = sizeof(descriptors) - 1;
	gdt_register->base = (uint64_t)high(gdt);
}

static __attribute__((noreturn)) void go(void *entry, void *stack, void *argument)
{
	enter_function *there = (enter_function *)high(enter);

	there((uint64_t)root, entry, stack, argument, high(gdt_register));
	__builtin_unreachable();
}

static void wait_for_start(void *arg)
{
	struct limine_cpu *cpu = arg;
	void (*start)(struct limine_cpu *);

	while (!(start = __atomic_load_n(&cpu->start, __ATOMIC_ACQUIRE)))
		__builtin_ia32_pause();
	go((void *)start, (void *)cpu->reserved, high(cpu));
}

bool small_main(const void *multiboot_info)
{
	struct kernel kernel;
	struct limine_cpu **cpus;
	const void *rsdp;
	uint64_t *own;

	info = multiboot_info;
	read_map();
	take((uint64_t)info, (uint64_t)info + *(const uint32_t *)info, LIMINE_LOADER_RECLAIMABLE);
	take((uint64_t)small_image, (uint64_t)small_image_end, LIMINE_LOADER_RECLAIMABLE);
	load(&kernel);
	firmware_page = take_new(PAGE_BYTES, LIMINE_ACPI_RECLAIMABLE);
	pool = take_new(POOL_BYTES, LIMINE_LOADER_RECLAIMABLE);
	pool_end = pool + POOL_BYTES;
	root = from_pool(PAGE_BYTES, PAGE_BYTES);
	make_gdt();
	if (!agree(&kernel))
		give_up("loader: the kernel does not want base revision 3\n");
	map_memory();
	map_kernel(&kernel);
	answer_memory(&kernel);
	rsdp = answer_rsdp(&kernel);
	cpus = answer_cpus(&kernel, rsdp);
	__asm__("movq %%cr3, %0" : "=r"(own));
	own[256] = root[256]; /* the direct map, on the loader's tables as well */
	for (unsigned n = 1; n < small_nr_cpus; n++)
		small_start_work(n, wait_for_start, (char *)cpus[n] - HHDM);
	go(kernel.entry, new_stack(), NULL);
}
