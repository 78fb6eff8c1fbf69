/*
 * The shadow of the allocator: what is handed out, as a caller knows it, and rules of thumb that
 * were written without a look at mm/. Everything here is one thread's.
 */
#ifndef TEST_FUZZ_SHADOW_H
#define TEST_FUZZ_SHADOW_H

#include <dolmen/page.h>
#include <dolmen/slab.h>
#include "test/fuzz/fuzz.h"

#define SHADOW_MAX	 320
#define SHADOW_CACHES	 6
#define SHADOW_CTOR_BYTE 0x5c /* first byte of a free object of a cache with a constructor */
#define SHADOW_ZONE_4GIB (1ull << 32)

enum live_kind { LIVE_OBJECT, LIVE_PAGES, LIVE_EXACT };

struct own_cache {
	struct kmem_cache *cache; /* NULL: this slot is free */
	size_t bytes, align;
	unsigned flags;
	bool ctor;
	unsigned nr_live;
};

/* One block that is out. `bytes` may be used, and hold the pattern of `seed`. */
struct live {
	uint8_t *at;
	size_t bytes;
	size_t asked; /* LIVE_OBJECT: by the caller; LIVE_EXACT: likewise */
	enum live_kind kind;
	unsigned order;		  /* LIVE_PAGES */
	struct own_cache *own;	  /* LIVE_OBJECT of a cache; NULL: of kmalloc */
	struct kmem_cache *class; /* LIVE_OBJECT of kmalloc: its cache; NULL: whole pages */
	uint8_t seed;
};

extern struct live lives[SHADOW_MAX];
extern unsigned nr_lives;
extern struct own_cache own_caches[SHADOW_CACHES];

/* The last blocks given back. */
#define SHADOW_DEAD 4
struct dead {
	uint8_t *at;
	enum live_kind kind;
	unsigned order;
};
extern struct dead dead[SHADOW_DEAD];

/* Takes a block up: it overlaps no other. Its bytes are filled. */
void shadow_add(struct live live);

/*
 * Takes lives[index] out, its bytes being whole, and returns it. A constructed object is as it
 * has to be for free.
 */
struct live shadow_remove(unsigned index);

/* The bytes hold the pattern that shadow_add() wrote, as far as `bytes` go. */
void shadow_check_bytes(const struct live *live, const uint8_t *at, size_t bytes);

void shadow_check_zero(const uint8_t *at, size_t bytes);

/* Whether an address lies in a block that is out. */
bool shadow_covers(const void *at);

unsigned shadow_count_class(const struct kmem_cache *class);

/* Classes that shadow_class() was asked for. */
extern bool shadow_used[NR_KMALLOC_CLASSES][2];

/* What kmalloc makes of a size: bytes usable, alignment, and the cache (NULL: pages). */
size_t shadow_round(size_t bytes);
size_t shadow_align(size_t bytes);
struct kmem_cache *shadow_class(size_t bytes, gfp_t gfp);

/* The smallest order that holds so many bytes. */
unsigned shadow_order(size_t bytes);

#endif
