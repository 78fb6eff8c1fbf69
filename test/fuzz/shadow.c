/*
 * See shadow.h. Patterns stand at a block's two ends and here and there between them, so that a
 * block of 4 MiB costs little more than one of 64 bytes.
 */
#include "test/fuzz/shadow.h"

#include <string.h>

#define STRIPE_BYTES 64

struct live lives[SHADOW_MAX];
unsigned nr_lives;
struct own_cache own_caches[SHADOW_CACHES];
struct dead dead[SHADOW_DEAD];
bool shadow_used[NR_KMALLOC_CLASSES][2];

static unsigned nr_dead;
static uint8_t next_seed;

/* ---- bytes ---- */

static const uint8_t *pattern(uint8_t seed)
{
	static uint8_t patterns[256][STRIPE_BYTES];
	static bool filled;

	for (unsigned i = 0; !filled && i < sizeof(patterns); i++)
		patterns[i / STRIPE_BYTES][i % STRIPE_BYTES] =
			(uint8_t)(i / STRIPE_BYTES * 31 + i % STRIPE_BYTES * 7 + 1);
	filled = true;
	return patterns[seed];
}

/*
 * How many stripes a block has, and where the n-th begins; the last one ends where the block
 * does.
 */
static unsigned nr_stripes(size_t bytes)
{
	return bytes <= STRIPE_BYTES ? 1 : bytes < 9 * STRIPE_BYTES ? 2 : 9;
}

static size_t stripe_offset(size_t bytes, unsigned n)
{
	if (n && n == nr_stripes(bytes) - 1)
		return bytes - STRIPE_BYTES;
	return n * (bytes / 8 / STRIPE_BYTES * STRIPE_BYTES);
}

static void fill(uint8_t *at, size_t bytes, uint8_t seed)
{
	size_t length = bytes < STRIPE_BYTES ? bytes : STRIPE_BYTES;

	/* Backwards, so that where two stripes overlap the first is whole. */
	for (unsigned n = nr_stripes(bytes); n-- > 0;)
		memcpy(at + stripe_offset(bytes, n), pattern((uint8_t)(seed + n)), length);
}

void shadow_check_bytes(const struct live *live, const uint8_t *at, size_t bytes)
{
	size_t length = live->bytes < STRIPE_BYTES ? live->bytes : STRIPE_BYTES;

	for (unsigned n = 0; n < nr_stripes(live->bytes); n++) {
		size_t offset = stripe_offset(live->bytes, n), end = length;
		size_t skip = n && offset < STRIPE_BYTES ? STRIPE_BYTES - offset : 0;
		const uint8_t *want = pattern((uint8_t)(live->seed + n));

		if (offset + end > bytes)
			end = bytes > offset ? bytes - offset : 0;
		if (skip >= end)
			continue;
		REQUIRE(!memcmp(at + offset + skip, want + skip, end - skip),
			"block %p of %zu bytes is damaged at %zu", (const void *)live->at,
			live->bytes, offset);
	}
}

/* Of a block of several pages the last whole, of the others the first bytes. */
void shadow_check_zero(const uint8_t *at, size_t bytes)
{
	static const uint8_t zeroes[PAGE_SIZE];

	for (size_t i = 0; i < bytes; i += PAGE_SIZE)
		REQUIRE(!memcmp(at + i, zeroes, bytes - i > PAGE_SIZE ? STRIPE_BYTES : bytes - i),
			"%zu bytes at %p are not zero from %zu on", bytes, (const void *)at, i);
}

/* ---- what is out ---- */

bool shadow_covers(const void *at)
{
	const uint8_t *byte = at;

	for (unsigned i = 0; i < nr_lives; i++)
		if (byte >= lives[i].at && byte < lives[i].at + lives[i].bytes)
			return true;
	return false;
}

void shadow_add(struct live live)
{
	for (unsigned i = 0; i < nr_lives; i++)
		REQUIRE(live.at + live.bytes <= lives[i].at ||
				lives[i].at + lives[i].bytes <= live.at,
			"%p + %zu was handed out and overlaps %p + %zu", (void *)live.at,
			live.bytes, (void *)lives[i].at, lives[i].bytes);
	REQUIRE(nr_lives < SHADOW_MAX, "the shadow is full");
	live.seed = next_seed++;
	fill(live.at, live.bytes, live.seed);
	if (live.own)
		live.own->nr_live++;
	lives[nr_lives++] = live;
}

struct live shadow_remove(unsigned index)
{
	struct live live = lives[index];

	shadow_check_bytes(&live, live.at, live.bytes);
	if (live.own) {
		live.own->nr_live--;
		if (live.own->ctor)
			*live.at = SHADOW_CTOR_BYTE;
	}
	lives[index] = lives[--nr_lives];
	dead[nr_dead++ % SHADOW_DEAD] =
		(struct dead){.at = live.at, .kind = live.kind, .order = live.order};
	return live;
}

unsigned shadow_count_class(const struct kmem_cache *class)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < nr_lives; i++)
		nr += lives[i].kind == LIVE_OBJECT && !lives[i].own && lives[i].class == class;
	return nr;
}

/* ---- sizes ---- */

static const size_t class_sizes[] = {8, 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
	384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096, 5120,
	6144, 7168, 8192, 16384};

_Static_assert(sizeof(class_sizes) / sizeof(class_sizes[0]) == NR_KMALLOC_CLASSES,
	"every class is listed");

static unsigned class_number(size_t bytes)
{
	unsigned class = 0;

	while (class_sizes[class] < bytes)
		class ++;
	return class;
}

unsigned shadow_order(size_t bytes)
{
	unsigned order = 0;

	while (PAGE_SIZE << order < bytes)
		order++;
	return order;
}

size_t shadow_round(size_t bytes)
{
	if (bytes > KMALLOC_MAX_CACHE_SIZE)
		return PAGE_SIZE << shadow_order(bytes);
	return class_sizes[class_number(bytes)];
}

size_t shadow_align(size_t bytes)
{
	size_t rounded = shadow_round(bytes);

	return rounded & (rounded - 1) ? 16 : rounded;
}

struct kmem_cache *shadow_class(size_t bytes, gfp_t gfp)
{
	if (bytes > KMALLOC_MAX_CACHE_SIZE)
		return NULL;
	unsigned class = class_number(bytes), dma32 = !!(gfp & GFP_DMA32);
	shadow_used[class][dma32] = true;
	return kmalloc_caches[class][dma32];
}
