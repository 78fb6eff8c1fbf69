/*
 * Fuzzes the whole interface: an input is a program of calls, held against a shadow (shadow.h)
 * that knows what is out.
 *
 * Checked: where a block lies, its alignment, node and zone, its bytes when it goes, that no two
 * overlap, ksize and what krealloc keeps, counts of objects, and that NULL is given only for a
 * reason. Interrupts that allocate and free land where a call turns interrupts on. At the end of
 * a program everything is given back, and the free pages must be what they were: a run that leaks
 * one fails.
 */
#include "test/fuzz/api.h"

#include <string.h>

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include "mm/page_alloc.h"
#include "mm/slab.h"
#include "mm/stats.h"
#include "test/fuzz/machine.h"

#define SPARE_SLOTS 16 /* of the shadow, for what interrupts allocate */

bool api_may_fail;
bool api_is_exact;

/* ---- arguments ---- */

static size_t take_size(struct input *input)
{
	static const size_t borders[] = {0, 1, 7, 8, 9, 15, 16, 17, 32, 33, 127, 128, 129, 160, 161,
		4095, 4096, 4097, 8191, 8192, 8193, 12288, 16384, 16385, 65536, 1ul << 20,
		KMALLOC_MAX_SIZE - 1, KMALLOC_MAX_SIZE, KMALLOC_MAX_SIZE + 1, 1ul << 31, 1ul << 32,
		1ul << 63, ~0ul - PAGE_SIZE, ~0ul};
	unsigned kind = take8(input), value = take8(input);

	switch (kind % 8) {
	case 0:
	case 1:
	case 2:
		return value;
	case 3:
		return value * 8ul;
	case 4:
		return value * 40ul;
	case 5:
		return value * 512ul;
	case 6:
		return borders[value % (sizeof(borders) / sizeof(borders[0]))];
	default:
		return value * (kind >= 240 ? 16384ul : 64ul);
	}
}

static gfp_t take_gfp(struct input *input)
{
	unsigned bits = take8(input);

	/* Each flag is set in a quarter of all bytes, or so. */
	return (bits % 4 == 1 ? __GFP_ZERO : 0) | (bits / 4 % 4 == 1 ? GFP_DMA32 : 0) |
	       (bits / 16 % 4 == 1 ? __GFP_THISNODE : 0) | (bits / 64 % 2 ? __GFP_HIGH : 0) |
	       (bits / 128 ? __GFP_NOWARN : 0);
}

int take_node(struct input *input)
{
	static const int odd[] = {-2, 3, 63, 64, 255, 256, 1 << 24, 0x7fffffff, -0x7fffffff - 1};
	unsigned value = take8(input);

	if (value >= 240)
		return odd[value % (sizeof(odd) / sizeof(odd[0]))];
	return (int)(value % (numa_nr_nodes() + 1)) - 1;
}

static bool is_node(int nid)
{
	return nid == NUMA_NO_NODE || (nid >= 0 && (unsigned)nid < numa_nr_nodes());
}

static struct own_cache *take_cache(struct input *input)
{
	struct own_cache *own = &own_caches[take8(input) % SHADOW_CACHES];

	return own->cache ? own : NULL;
}

/* ---- what came back ---- */

struct request {
	gfp_t gfp;
	int nid;
	size_t bytes, align; /* asked for: at least */
	size_t usable;	     /* to the byte */
	bool impossible;     /* must be NULL */
	bool plenty_at_nid;  /* half of that node's memory was free before */
	bool may_fail;
	unsigned nr_given_back; /* by interrupts, before */
};

static uint64_t node_managed[DOLMEN_MAX_NODES], all_managed, all_free;
static unsigned nr_given_back;

static struct request request_of(gfp_t gfp, int nid, size_t bytes, size_t usable, size_t align)
{
	int from = nid == NUMA_NO_NODE ? (int)cpu_to_mem(port_cpu()) : nid;
	struct request request = {.gfp = gfp,
		.nid = from,
		.bytes = bytes,
		.usable = usable,
		.align = align,
		.impossible = !is_node(nid) || bytes > KMALLOC_MAX_SIZE,
		.may_fail = api_may_fail,
		.nr_given_back = nr_given_back};

	if (!request.impossible && gfp & __GFP_THISNODE && !numa_has_memory((unsigned)from))
		request.impossible = true;
	if (!request.impossible && nid != NUMA_NO_NODE)
		request.plenty_at_nid = numa_free_pages(nid) > node_managed[nid] / 2;
	return request;
}

/*
 * NULL has a reason: it was told to fail, or memory is used up. One page is to be had until a
 * zone has its reserve left, of 1/256 and a quarter more; for larger blocks any live object may
 * stand in the way, and for those that may not reclaim, any slab that lies free. What an interrupt
 * gave back may have come too late for the request.
 */
static void check_null(const struct request *request)
{
	uint64_t reserve = all_managed / 128 + 64;

	if (request->impossible || request->may_fail || request->gfp & GFP_DMA32 ||
		request->nr_given_back != nr_given_back)
		return;
	if (request->usable > PAGE_SIZE || request->align > PAGE_SIZE) {
		REQUIRE(nr_lives || request->gfp & __GFP_HIGH,
			"NULL for %zu bytes with nothing out", request->bytes);
		return;
	}
	hosted_interrupt_later(0, NULL, NULL);
	uint64_t nr_free = numa_free_pages(request->gfp & __GFP_THISNODE ? request->nid : -1);
	REQUIRE(nr_free <= reserve, "NULL for %zu bytes with %lu pages free", request->bytes,
		nr_free);
}

/* Checks where the block is; false for NULL. */
static bool check_block(const struct request *request, const uint8_t *at)
{
	if (!at) {
		check_null(request);
		return false;
	}
	uint64_t phys = port_virt_to_phys(at);
	struct page *page = virt_to_page(at);

	REQUIRE(!request->impossible, "%p for %zu bytes of node %d", (const void *)at,
		request->bytes, request->nid);
	REQUIRE(page, "%p is not memory", (const void *)at);
	REQUIRE(!((uintptr_t)at % request->align), "%p is not aligned to %zu", (const void *)at,
		request->align);
	REQUIRE(!(request->gfp & GFP_DMA32) || phys + request->usable <= SHADOW_ZONE_4GIB,
		"%lx is not below 4 GiB", phys);
	unsigned nid = page_node(port_load(&page->pg_word));
	bool strict = request->gfp & __GFP_THISNODE ||
		      (request->plenty_at_nid && !request->may_fail &&
			      !(request->gfp & GFP_DMA32) && request->usable <= PAGE_SIZE);
	REQUIRE(!strict || nid == (unsigned)request->nid, "%p is of node %u, not %d",
		(const void *)at, nid, request->nid);
	if (request->gfp & __GFP_ZERO)
		shadow_check_zero(at, request->bytes);
	return true;
}

static void kmalloced(struct request *request, void *object)
{
	if (!request->bytes) {
		REQUIRE(object == ZERO_SIZE_PTR, "%p for no bytes", object);
		return;
	}
	if (!check_block(request, object))
		return;
	REQUIRE(ksize(object) == request->usable, "ksize %zu, not %zu", ksize(object),
		request->usable);
	shadow_add((struct live){.at = object,
		.bytes = request->usable,
		.asked = request->bytes,
		.kind = LIVE_OBJECT,
		.class = shadow_class(request->usable, request->gfp)});
}

static struct request kmalloc_request(size_t bytes, gfp_t gfp, int nid)
{
	bool sane = bytes && bytes <= KMALLOC_MAX_SIZE;

	return request_of(gfp, nid, bytes, sane ? shadow_round(bytes) : bytes,
		sane ? shadow_align(bytes) : 1);
}

/* ---- kmalloc ---- */

static void op_kmalloc(struct input *input)
{
	size_t bytes = take_size(input);
	gfp_t gfp = take_gfp(input);
	struct request request = kmalloc_request(bytes, gfp, NUMA_NO_NODE);
	static const uint8_t text[256] = "as good as any";

	switch (take8(input) % 4) {
	case 0:
		kmalloced(&request, kmalloc_array(1, bytes, gfp));
		break;
	case 1:
		request.gfp |= __GFP_ZERO;
		kmalloced(&request, bytes % 2 ? kzalloc(bytes, gfp) : kcalloc(bytes, 1, gfp));
		break;
	case 2:
		if (bytes > sizeof(text))
			break;
		request.gfp &= ~(gfp_t)__GFP_ZERO;
		uint8_t *copy = kmemdup(text, bytes, gfp);
		REQUIRE(ZERO_OR_NULL_PTR(copy) || !memcmp(copy, text, bytes), "not a copy");
		kmalloced(&request, copy);
		break;
	default:
		kmalloced(&request, kmalloc(bytes, gfp));
	}
}

static void op_kmalloc_burst(struct input *input)
{
	size_t bytes = take_size(input) % 2048;
	unsigned nr = take8(input) % 64;

	while (nr-- && nr_lives < SHADOW_MAX - SPARE_SLOTS) {
		struct request request = kmalloc_request(bytes, GFP_KERNEL, NUMA_NO_NODE);

		kmalloced(&request, kmalloc(bytes, GFP_KERNEL));
	}
}

static void op_kmalloc_node(struct input *input)
{
	size_t bytes = take_size(input);
	gfp_t gfp = take_gfp(input);
	int nid = take_node(input);
	struct request request = kmalloc_request(bytes, gfp, nid);

	kmalloced(&request, kmalloc_node(bytes, gfp, nid));
}

static void op_kmalloc_aligned(struct input *input)
{
	size_t bytes = take_size(input), align = 1ul << take8(input) % 24;
	gfp_t gfp = take_gfp(input);
	size_t larger = bytes > align ? bytes : align;
	struct request request = kmalloc_request(bytes, gfp, NUMA_NO_NODE);
	uint8_t *object = kmalloc_aligned(bytes, align, gfp);

	if (larger > KMALLOC_MAX_SIZE) {
		REQUIRE(!object, "%p for %zu aligned to %zu", (void *)object, bytes, align);
		return;
	}
	if (bytes && object) { /* how much is usable is its own affair, if it is enough */
		request.usable = ksize(object);
		REQUIRE(request.usable >= bytes, "%zu usable bytes of %zu", request.usable, bytes);
	} else {
		request.usable = larger;
	}
	request.align = align;
	kmalloced(&request, object);
	REQUIRE(!kmalloc_aligned(bytes, 3 * align, gfp), "aligned to no power of two");
}

static void op_overflow(struct input *input)
{
	uint64_t nr = take64(input), bytes = take64(input);
	bool over = bytes && nr > ~0ul / bytes;

	if (over || nr * bytes > KMALLOC_MAX_SIZE)
		REQUIRE(!kcalloc(nr, bytes, GFP_KERNEL), "%lu times %lu bytes", nr, bytes);
	REQUIRE(kmalloc_size_roundup(bytes) ==
			(bytes && bytes <= KMALLOC_MAX_SIZE ? shadow_round(bytes) : bytes),
		"%lu is rounded to %zu", bytes, kmalloc_size_roundup(bytes));
}

/* ---- giving back ---- */

static void give_back(unsigned index, unsigned way)
{
	struct live live = shadow_remove(index);

	if (live.kind == LIVE_EXACT)
		free_pages_exact(live.at, live.asked);
	else if (live.kind == LIVE_PAGES && way % 2)
		__free_pages(virt_to_page(live.at), live.order);
	else if (live.kind == LIVE_PAGES)
		free_pages(live.at, live.order);
	else if (live.own && way % 4)
		kmem_cache_free(live.own->cache, live.at);
	else if (way % 8 == 1 && !(live.own && live.own->ctor))
		kfree_sensitive(live.at);
	else
		kfree(live.at);
}

static void op_free(struct input *input)
{
	unsigned index = take8(input), way = take8(input);

	if (nr_lives)
		give_back(index % nr_lives, way);
}

static void op_free_burst(struct input *input)
{
	unsigned index = take8(input), step = 1 + take8(input) % 7, nr = take8(input) % 64;

	for (; nr-- && nr_lives; index += step)
		give_back(index % nr_lives, index);
}

static void op_krealloc(struct input *input)
{
	unsigned index = take8(input);
	size_t bytes = take_size(input);
	gfp_t gfp = take_gfp(input) & ~(gfp_t)(GFP_DMA32 | __GFP_THISNODE | __GFP_ZERO);

	if (!nr_lives || lives[index % nr_lives].kind != LIVE_OBJECT ||
		lives[index % nr_lives].own) {
		struct request request = kmalloc_request(bytes, gfp, NUMA_NO_NODE);

		kmalloced(&request, krealloc(NULL, bytes, gfp));
		return;
	}
	struct live old = shadow_remove(index % nr_lives);
	struct request request = kmalloc_request(bytes, gfp, NUMA_NO_NODE);
	uint8_t *object = krealloc(old.at, bytes, gfp);

	if (bytes && !object) {
		REQUIRE(bytes > old.bytes, "no room for less");
		check_null(&request);
		shadow_check_bytes(&old, old.at, old.bytes);
		shadow_add(old);
		return;
	}
	if (bytes)
		shadow_check_bytes(&old, object, bytes < old.bytes ? bytes : old.bytes);
	if (object == old.at) {
		REQUIRE(bytes && bytes <= old.bytes, "%zu bytes do not fit", bytes);
		old.asked = bytes;
		shadow_add(old);
		return;
	}
	kmalloced(&request, object);
}

/* ---- caches ---- */

static unsigned nr_constructed;

static void construct(void *object)
{
	*(uint8_t *)object = SHADOW_CTOR_BYTE;
	nr_constructed++;
}

static void op_create(struct input *input)
{
	static const char *const names[SHADOW_CACHES] = {
		"one", "two", "three", "four", "five", "six"};
	unsigned slot = take8(input) % SHADOW_CACHES, flags = take8(input);
	size_t bytes = take_size(input);
	size_t align = flags / 16 % 4 == 1 ? take8(input) : 1ul << flags / 16 % 14 >> 1;
	struct own_cache *own = &own_caches[slot];
	bool wrong = !bytes || bytes > KMALLOC_MAX_SIZE || (align & (align - 1));

	if (own->cache)
		return;
	*own = (struct own_cache){.bytes = bytes, .align = align, .ctor = flags & 8};
	own->flags = flags & (SLAB_HWCACHE_ALIGN | SLAB_CACHE_DMA32);
	own->cache = kmem_cache_create(
		names[slot], bytes, align, own->flags, own->ctor ? construct : NULL);
	if (!own->cache) {
		REQUIRE(wrong || api_may_fail || nr_lives || bytes > KMALLOC_MAX_SIZE - PAGE_SIZE,
			"no cache of %zu bytes, aligned to %zu", bytes, align);
		return;
	}
	REQUIRE(!wrong, "a cache of %zu bytes, aligned to %zu", bytes, align);
	REQUIRE(kmem_cache_size(own->cache) == bytes, "%zu bytes, not %zu",
		kmem_cache_size(own->cache), bytes);
	if (own->align < 8)
		own->align = 8;
	if (bytes % 16 == 0 && own->align < 16)
		own->align = 16;
	if (own->flags & SLAB_HWCACHE_ALIGN && bytes > DOLMEN_CACHE_LINE / 2 &&
		own->align < DOLMEN_CACHE_LINE)
		own->align = DOLMEN_CACHE_LINE;
}

/* What is asked of a cache: in the zone that it has, whatever the flags say. */
static struct request cache_request(const struct own_cache *own, gfp_t *gfp, int nid)
{
	gfp_t zone = own->flags & SLAB_CACHE_DMA32 ? GFP_DMA32 : 0;

	*gfp &= ~(gfp_t)GFP_DMA32;
	return request_of(*gfp | zone, nid, own->bytes, own->bytes, own->align);
}

static void cache_alloced(
	struct own_cache *own, const struct request *request, gfp_t gfp, uint8_t *object)
{
	if (!check_block(request, object))
		return;
	REQUIRE(!own->ctor || gfp & __GFP_ZERO || *object == SHADOW_CTOR_BYTE,
		"%p is not as its constructor left it", (void *)object);
	REQUIRE(ksize(object) == own->bytes, "ksize %zu, not %zu", ksize(object), own->bytes);
	shadow_add((struct live){.at = object,
		.bytes = own->bytes,
		.asked = own->bytes,
		.kind = LIVE_OBJECT,
		.own = own});
}

static void cache_alloc(struct own_cache *own, gfp_t gfp, int nid, bool by_node)
{
	struct request request = cache_request(own, &gfp, nid);
	uint8_t *object = by_node ? kmem_cache_alloc_node(own->cache, gfp, nid)
				  : kmem_cache_alloc(own->cache, gfp);

	cache_alloced(own, &request, gfp, object);
}

static void op_cache_alloc(struct input *input)
{
	struct own_cache *own = take_cache(input);
	gfp_t gfp = take_gfp(input);
	unsigned nr = 1 + take8(input) % 32;
	int nid = take_node(input);
	bool by_node = nr % 2;

	while (own && nr-- && nr_lives < SHADOW_MAX - SPARE_SLOTS)
		cache_alloc(own, gfp, by_node ? nid : NUMA_NO_NODE, by_node);
}

#define BULK_MAX 100

/*
 * The requests of many at once are as one: for pages that it may well use up, with what it has of
 * them in its hands.
 */
static void op_cache_alloc_bulk(struct input *input)
{
	struct own_cache *own = take_cache(input);
	gfp_t gfp = take_gfp(input);
	unsigned nr = take8(input) % BULK_MAX;
	void *objects[BULK_MAX];

	if (!own || nr_lives + nr > SHADOW_MAX - SPARE_SLOTS)
		return;
	struct request request = cache_request(own, &gfp, NUMA_NO_NODE);
	unsigned before = own->nr_live;

	/* The node's memory may end, or half of it, in the middle. */
	request.plenty_at_nid = false;
	if (!kmem_cache_alloc_bulk(own->cache, gfp, nr, objects)) {
		struct cache_stats stats;

		REQUIRE(nr, "not even none");
		if (nr * own->bytes <= PAGE_SIZE)
			check_null(&request);
		hosted_interrupt_later(0, NULL, NULL);
		cache_stats(own->cache, &stats);
		REQUIRE(stats.in_use == before, "%u of %lu are held by nobody", before,
			stats.in_use);
		return;
	}
	for (unsigned i = 0; i < nr; i++)
		cache_alloced(own, &request, gfp, objects[i]);
}

/* Some of what a prefilled sheaf has is used, and some when it is refilled; the rest goes back. */
static void op_prefilled(struct input *input)
{
	struct own_cache *own = take_cache(input);
	gfp_t gfp = take_gfp(input);
	unsigned sizes[2] = {take8(input) % BULK_MAX, take8(input)}, used = take8(input) % 16;

	if (!own || nr_lives + 2 * used > SHADOW_MAX - SPARE_SLOTS)
		return;
	struct request request = cache_request(own, &gfp, NUMA_NO_NODE);
	request.plenty_at_nid = false;
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(own->cache, gfp, sizes[0]);

	if (!sheaf)
		return;
	for (unsigned size = sizes[0], turn = 0; turn < 2; turn++) {
		if (turn && !kmem_cache_refill_sheaf(own->cache, gfp, &sheaf, sizes[1]) &&
			size < sizes[1])
			size = sizes[1];
		REQUIRE(kmem_cache_sheaf_size(sheaf) == size, "%u objects of %u",
			kmem_cache_sheaf_size(sheaf), size);
		for (unsigned i = 0; i < used && size; i++, size--) {
			uint8_t *object = kmem_cache_alloc_from_sheaf(own->cache, gfp, sheaf);

			REQUIRE(object, "nothing of a sheaf of %u", size);
			cache_alloced(own, &request, gfp, object);
		}
	}
	kmem_cache_return_sheaf(own->cache, gfp, sheaf);
}

/* Objects as they come, of any cache, or of one alone that is named; large blocks among them. */
static void op_free_bulk(struct input *input)
{
	unsigned index = take8(input), nr = take8(input) % BULK_MAX;
	const struct own_cache *own = take_cache(input);
	void *objects[BULK_MAX];
	unsigned nr_taken = 0;

	for (unsigned i = nr_lives; i-- && nr_taken < nr;) {
		unsigned at = (index + i) % nr_lives;

		if (lives[at].kind == LIVE_OBJECT && (!own || lives[at].own == own))
			objects[nr_taken++] = shadow_remove(at).at;
	}
	kmem_cache_free_bulk(own ? own->cache : NULL, nr_taken, objects);
}

static void op_destroy(struct input *input)
{
	struct own_cache *own = take_cache(input);

	/* What is still in use is listed from the pages of all memory: slow, so seldom. */
	if (!own || (own->nr_live && take8(input) % 8))
		return;
	bool done = kmem_cache_destroy(own->cache);

	REQUIRE(done == !own->nr_live, "destroyed: %d, with %u objects out", done, own->nr_live);
	if (done)
		own->cache = NULL;
	REQUIRE(kmem_cache_destroy(NULL), "no cache cannot be destroyed");
	REQUIRE(!kmem_cache_destroy(kmalloc_caches[3][0]), "a cache of kmalloc was destroyed");
}

static void op_shrink(struct input *input)
{
	struct own_cache *own = take_cache(input);
	unsigned class = take8(input) % NR_KMALLOC_CLASSES;

	kmem_cache_shrink(own ? own->cache : kmalloc_caches[class][0]);
}

static void op_knob(struct input *input)
{
	struct own_cache *own = take_cache(input);
	enum cache_knob knob = take8(input) % NR_CACHE_KNOBS;
	unsigned value = take8(input) * (knob == KNOB_MAX_PARTIAL ? 300u : 1u);

	if (!own || (knob == KNOB_SHEAF && api_is_exact))
		return;
	value = cache_set_knob(own->cache, knob, value);
	REQUIRE(cache_knob(own->cache, knob) == value, "a limit is %u, not %u",
		cache_knob(own->cache, knob), value);
}

static void op_stats(struct input *input)
{
	struct own_cache *own = take_cache(input);
	unsigned class = take8(input) % NR_KMALLOC_CLASSES, dma32 = take8(input) % 2;
	struct kmem_cache *cache = own ? own->cache : kmalloc_caches[class][dma32];
	unsigned want = own ? own->nr_live : shadow_count_class(cache);
	struct cache_stats stats;

	hosted_interrupt_later(0, NULL, NULL);
	cache_stats(cache, &stats);
	REQUIRE(stats.in_use == want, "%s: %lu objects in use, not %u", stats.name, stats.in_use,
		want);
	REQUIRE(stats.objects >= stats.in_use, "%s: fewer objects than are in use", stats.name);
}

/* ---- pages ---- */

static void op_pages(struct input *input)
{
	gfp_t gfp = take_gfp(input);
	unsigned order = take8(input), way = order / 16 % 4;
	int nid = way ? NUMA_NO_NODE : take_node(input);
	size_t bytes = PAGE_SIZE << (order %= 13);
	struct request request = request_of(gfp, nid, bytes, bytes, bytes);
	uint8_t *at;

	if (!way)
		at = page_address(alloc_pages_node(nid, gfp, order));
	else if (way == 1)
		at = __get_free_pages(gfp, order);
	else
		at = page_address(alloc_pages(gfp, order));
	if (check_block(&request, at))
		shadow_add((struct live){
			.at = at, .bytes = bytes, .kind = LIVE_PAGES, .order = order});
}

static void op_pages_exact(struct input *input)
{
	size_t bytes = take_size(input);
	gfp_t gfp = take_gfp(input);
	size_t whole = (bytes + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);
	struct request request = request_of(gfp, NUMA_NO_NODE, bytes, whole, PAGE_SIZE);
	uint8_t *at = alloc_pages_exact(bytes, gfp);

	request.impossible |= !bytes;
	if (check_block(&request, at))
		shadow_add((struct live){
			.at = at, .bytes = whole, .asked = bytes, .kind = LIVE_EXACT});
}

/* ---- the rest ---- */

static void op_housekeeping(struct input *input)
{
	unsigned nr = take8(input);

	switch (nr % 4) {
	case 0:
		dolmen_drain_all();
		break;
	case 1:
		page_alloc_drain();
		break;
	default:
		for (nr = nr / 4 + 1; nr; nr--)
			dolmen_tick();
	}
}

static void op_cpu(struct input *input)
{
	hosted_become_cpu(take8(input) % MACHINE_CPUS);
}

static void op_fail(struct input *input)
{
	unsigned skip = take8(input) % 16, count = take8(input) % 8;

	dolmen_fail_pages(skip, count == 7 ? UINT64_MAX : count);
	api_may_fail = count != 0;
}

/*
 * Lands where interrupts are turned on in the middle of some call: never touches a cache that is
 * perhaps being destroyed.
 */
static void on_interrupt(void *arg)
{
	uintptr_t seed = (uintptr_t)arg;

	for (unsigned i = 0; i < nr_lives && seed % 2; i++) {
		if (lives[(seed + i) % nr_lives].own)
			continue;
		give_back((unsigned)((seed + i) % nr_lives), 2);
		nr_given_back++;
		return;
	}
	if (nr_lives < SHADOW_MAX) {
		size_t bytes = 1 + seed * 4;
		struct request request = kmalloc_request(bytes, GFP_ATOMIC, NUMA_NO_NODE);

		request.may_fail = true;
		kmalloced(&request, kmalloc(bytes, GFP_ATOMIC | __GFP_NOWARN));
	}
}

static void op_interrupt(struct input *input)
{
	unsigned nr_restores = 1 + take8(input) % 12;

	hosted_interrupt_later(nr_restores, on_interrupt, (void *)(uintptr_t)take8(input));
}

/* Empty slabs of the caches that were used; if that does not explain every page, of all. */
static void give_back_slabs(void)
{
	for (unsigned class = 0; class < NR_KMALLOC_CLASSES; class ++)
		for (unsigned dma32 = 0; dma32 < 2; dma32++)
			if (shadow_used[class][dma32])
				kmem_cache_shrink(kmalloc_caches[class][dma32]);
	memset(shadow_used, 0, sizeof(shadow_used));
	page_alloc_drain();
	if (numa_free_pages(NUMA_NO_NODE) == all_free)
		return;
	dolmen_drain_all();
	page_alloc_drain();
}

static void end_of_program(void)
{
	hosted_interrupt_later(0, NULL, NULL);
	dolmen_fail_pages(0, 0);
	api_may_fail = false;
	while (nr_lives)
		give_back(nr_lives - 1, nr_lives);
	for (unsigned i = 0; i < SHADOW_CACHES; i++) {
		REQUIRE(kmem_cache_destroy(own_caches[i].cache), "cache %u is not empty", i);
		own_caches[i].cache = NULL;
	}
	hosted_become_cpu(0);
	if (api_is_exact)
		dolmen_exact(false);
	api_is_exact = false;
	give_back_slabs();
	REQUIRE(numa_free_pages(NUMA_NO_NODE) == all_free, "%lu pages are free, not %lu",
		numa_free_pages(NUMA_NO_NODE), all_free);
}

void fuzz_start(int argc, char **argv)
{
	machine_boot(argc, argv);
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
		all_managed += node_managed[nid] = numa_free_pages((int)nid);
	dolmen_drain_all();
	page_alloc_drain();
	all_free = numa_free_pages(NUMA_NO_NODE);
}

void fuzz_one(const uint8_t *bytes, size_t size_bytes)
{
	typedef void op_fn(struct input * input);
	static op_fn *const ops[] = {op_kmalloc, op_kmalloc_burst, op_kmalloc_node,
		op_kmalloc_aligned, op_overflow, op_free, op_free, op_free_burst, op_krealloc,
		op_create, op_cache_alloc, op_cache_alloc, op_cache_alloc_bulk, op_prefilled,
		op_free_bulk, op_destroy, op_shrink, op_knob, op_stats, op_pages, op_pages_exact,
		op_housekeeping, op_cpu, op_cpu, op_fail, op_interrupt, op_wrong_free,
		op_wrong_free};
	struct input input = {bytes, bytes + size_bytes};

	while (input_left(&input)) {
		op_fn *op = ops[take8(&input) % (sizeof(ops) / sizeof(ops[0]))];

		if (nr_lives < SHADOW_MAX - SPARE_SLOTS || op == op_free || op == op_free_burst ||
			op == op_free_bulk)
			op(&input);
	}
	end_of_program();
}
