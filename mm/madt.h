/*
 * MADT: the CPUs of the machine. Types 0 (local APIC) and 9 (x2APIC) are CPUs, 5 is the local
 * APIC's address, 2 (interrupt source override) is counted; all others are skipped by their length
 * and counted.
 *
 * A CPU is taken if it is enabled (flag bit 0) and its id is not a broadcast or filler (0xff,
 * 0xffffffff). Where local APIC entries give CPUs, x2APIC entries with ids below 0xff are ignored:
 * some firmware lists the same CPUs in both.
 */
#ifndef MM_MADT_H
#define MM_MADT_H

#include "mm/acpi.h"

struct madt_result {
	unsigned nr_cpus;	      /* at least 1: the boot CPU */
	bool boot_cpu_added;	      /* the table did not list it */
	uint64_t lapic_phys;	      /* of the local APIC; 0 if the table is not used */
	unsigned nr_enabled_entries;  /* CPU entries with the flag, before any other rule */
	unsigned nr_disabled_entries; /* without it; capable ones among them */
	unsigned nr_online_capable;   /* not enabled, but may come later */
	unsigned nr_duplicates;	      /* enabled entries for a CPU that was taken before */
	unsigned nr_past_limit;	      /* enabled entries left out because apic_ids was full */
	unsigned nr_overrides;	      /* type 2 */
	unsigned nr_skipped;	      /* of other types */
	unsigned nr_short;	      /* known type, too short for it: ignored */
	bool truncated;	   /* an entry passed the end or had no length: the rest was dropped */
	bool bad_checksum; /* the table is used all the same */
};

/*
 * apic_ids[0] becomes the boot CPU, whether the table has it or not, and apic_ids[1...] the others
 * in the order of the table, each once, `max` (at least 1) in all. Unless the result is
 * ACPI_USABLE, the boot CPU is the only one.
 */
enum acpi_verdict madt_parse(const void *bytes, size_t size_bytes, uint32_t boot_apic_id,
	uint32_t *apic_ids, unsigned max, struct madt_result *out);

#endif
