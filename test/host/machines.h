/*
 * A machine is built by filling these, started once, and looked at. All memory of it is then used
 * up, page by page at the end, and given back: each page must lie in a usable range and in no
 * other, be given out once, be on the node that it says, and the counts must be exact.
 */
#ifndef TEST_HOST_MACHINES_H
#define TEST_HOST_MACHINES_H

#include "arch/hosted/hosted.h"

#include <dolmen/numa.h>
#include <dolmen/slab.h>

#define MIB (1ul << 20)
#define GIB (1ul << 30)

extern struct mem_range ranges[2 * DOLMEN_MAX_RANGES];
extern unsigned nr_ranges;
extern unsigned nr_cpus; /* 4 unless changed */
extern struct hosted_table srat, slit;
extern const struct dolmen_nodes *nodes;
extern uint64_t rsdp_phys;
extern bool without_apic_ids;
extern uint64_t max_phys;

extern char log_text[65536]; /* what the library said */
extern unsigned nr_wrong;    /* expectations that did not hold */

#define EXPECT(cond, ...) ((cond) ? (void)0 : wrong(__LINE__, #cond, __VA_ARGS__))
void wrong(int line, const char *cond, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void add(uint64_t start_bytes, uint64_t size_bytes, uint32_t kind);

/* SRAT and SLIT as they are by now: the library is told of an RSDP only. */
void put_tables_behind_rsdp(void);

bool start(void);

/*
 * The machine starts with so many nodes and says `line` (NULL: anything), and its memory is as it
 * should be.
 */
void expect_start(unsigned nr_nodes, const char *line);
void expect_memory(uint64_t usable_pages, uint64_t reserved_pages);
void use_all_memory(void);

/* A case: a sentence that is true when run() has found nothing wrong. NULL ends a table of them. */
struct machine_case {
	const char *sentence;
	void (*run)(void);
};
extern const struct machine_case later_cases[];

#endif
