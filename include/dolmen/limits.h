/*
 * Limits of the library. Each is a compile-time bound on a table; input past a bound is ignored
 * with one line that says how much, never an overflow. Each has a contract that goes one past it.
 */
#ifndef DOLMEN_LIMITS_H
#define DOLMEN_LIMITS_H

#define DOLMEN_MAX_CPUS	    512	  /* dense CPU ids are 0..511 */
#define DOLMEN_MAX_NODES    64	  /* dense node ids are 0..63 */
#define DOLMEN_MAX_LLCS	    8	  /* last-level caches of one node; CPUs of more share */
#define DOLMEN_MAX_RANGES   1024  /* normalised memory ranges, each with one node */
#define DOLMEN_MAX_ORDER    10	  /* largest block of the page allocator: 2^10 pages, 4 MiB */
#define DOLMEN_PERCPU_BYTES 65536 /* each CPU's area: the port's part, page cache, slab slots */

#define PAGE_SHIFT	  12
#define PAGE_SIZE	  (1ul << PAGE_SHIFT)
#define DOLMEN_CACHE_LINE 64

#endif
