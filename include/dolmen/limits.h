/*
 * Limits of the library. Each is a compile-time bound on a table; input past a bound is ignored
 * with one line that says how much, never an overflow. Each has a contract that goes one past it.
 *
 * A small kernel gives smaller ones with -D, the same for the library and for what includes its
 * headers. The tables of these take 114 KiB of .bss.
 */
#ifndef DOLMEN_LIMITS_H
#define DOLMEN_LIMITS_H

#ifndef DOLMEN_MAX_CPUS
#define DOLMEN_MAX_CPUS 512 /* dense CPU ids are 0..511 */
#endif
#ifndef DOLMEN_MAX_NODES
#define DOLMEN_MAX_NODES 64 /* dense node ids are 0..63 */
#endif
#ifndef DOLMEN_MAX_RANGES
#define DOLMEN_MAX_RANGES 1024 /* normalised memory ranges, each with one node */
#endif
#ifndef DOLMEN_PERCPU_BYTES
#define DOLMEN_PERCPU_BYTES 65536 /* each CPU's area: the port's part, page cache, slab slots */
#endif
#define DOLMEN_MAX_LLCS	 8  /* last-level caches of one node; CPUs of more share */
#define DOLMEN_MAX_ORDER 10 /* largest block of the page allocator: 2^10 pages, 4 MiB */

#if DOLMEN_MAX_CPUS < 2 || DOLMEN_MAX_CPUS > 512
#error "DOLMEN_MAX_CPUS is 2 to 512"
#endif
#if DOLMEN_MAX_NODES < 2 || DOLMEN_MAX_NODES > 64
#error "DOLMEN_MAX_NODES is 2 to 64"
#endif
#if DOLMEN_MAX_RANGES < 8 || DOLMEN_MAX_RANGES > 1024
#error "DOLMEN_MAX_RANGES is 8 to 1024"
#endif
#if DOLMEN_PERCPU_BYTES < 32768 || DOLMEN_PERCPU_BYTES > 65536 || DOLMEN_PERCPU_BYTES % 4096
#error "DOLMEN_PERCPU_BYTES is 32768 to 65536, whole pages"
#endif

#define PAGE_SHIFT	  12
#define PAGE_SIZE	  (1ul << PAGE_SHIFT)
#define DOLMEN_CACHE_LINE 64

#endif
