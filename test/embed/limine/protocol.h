/*
 * The Limine boot protocol, as far as a kernel that links Dolmen asks and test/embed/loader
 * answers: base revision 3 on x86_64. A loader looks for requests in the kernel's image by their
 * numbers, and writes where its answers are. All pointers are into the direct map.
 */
#ifndef LIMINE_PROTOCOL_H
#define LIMINE_PROTOCOL_H

#include <stdint.h>

#define LIMINE_COMMON 0xc7b1dd30df4c8b88, 0x0a82e883a194f07b

#define LIMINE_ID_HHDM                                                                             \
	{                                                                                          \
		LIMINE_COMMON, 0x48dcf1cb8ad2b852, 0x63984e959a98244b                              \
	}
#define LIMINE_ID_MEMMAP                                                                           \
	{                                                                                          \
		LIMINE_COMMON, 0x67cf3d9d378a806f, 0xe304acdfc50c3c62                              \
	}
#define LIMINE_ID_RSDP                                                                             \
	{                                                                                          \
		LIMINE_COMMON, 0xc5e77b6b397e7b43, 0x27637845accdcf3c                              \
	}
#define LIMINE_ID_MP                                                                               \
	{                                                                                          \
		LIMINE_COMMON, 0x95a67b819a1b857e, 0xa0b61b723b6a73e0                              \
	}
#define LIMINE_ID_IMAGE                                                                            \
	{                                                                                          \
		LIMINE_COMMON, 0x71ba76863cc55f63, 0xb2644a48c516a487                              \
	}

/* In the image: the revision it wants; 0 in the third word tells that the loader knows it. */
#define LIMINE_REVISION_0 0xf9562b2d5c95a6c8
#define LIMINE_REVISION_1 0x6a7b384944536bdc
#define LIMINE_REVISION(want)                                                                      \
	{                                                                                          \
		LIMINE_REVISION_0, LIMINE_REVISION_1, (want)                                       \
	}

struct limine_request {
	uint64_t id[4];
	uint64_t revision;
	void *response;
	uint64_t flags; /* of LIMINE_ID_MP alone */
};

struct limine_hhdm {
	uint64_t revision;
	uint64_t offset; /* virtual minus physical address */
};

enum limine_memory {
	LIMINE_USABLE,
	LIMINE_RESERVED,
	LIMINE_ACPI_RECLAIMABLE,
	LIMINE_ACPI_NVS,
	LIMINE_BAD,
	LIMINE_LOADER_RECLAIMABLE,
	LIMINE_IMAGE_AND_MODULES,
};

struct limine_entry {
	uint64_t base, length;
	uint64_t type;
};

/* Sorted; usable and reclaimable entries begin and end at pages, and overlap nothing. */
struct limine_memmap {
	uint64_t revision;
	uint64_t nr_entries;
	struct limine_entry **entries;
};

struct limine_rsdp {
	uint64_t revision;
	uint64_t address; /* physical, in revision 3 and in no other */
};

struct limine_cpu {
	uint32_t acpi_id, apic_id;
	uint64_t reserved;
	void (*start)(struct limine_cpu *); /* written by the kernel: the CPU goes there */
	uint64_t argument;
};

struct limine_mp {
	uint64_t revision;
	uint32_t flags;
	uint32_t first_apic_id; /* of the CPU that the kernel starts on */
	uint64_t nr_cpus;
	struct limine_cpu **cpus; /* that CPU among them */
};

struct limine_image {
	uint64_t revision;
	uint64_t physical_base, virtual_base;
};

#endif
