/*
 * Caches: made, tuned, shrunk, destroyed; and the calls that hand out their objects.
 *
 * Two caches are static and make all others: one of struct kmem_cache, one of struct
 * kmem_cache_node. The first node parts of the second come out of its own slabs, see
 * boot_node_cache().
 *
 * Locks: the cache list lock, outermost, guards the list of all caches. A visit pins its cache, so
 * that it is not destroyed meanwhile, and holds no lock: it may have to wait for other CPUs. A tick
 * holds the list, since it only looks at its own.
 */
#include "mm/slab.h"
#include <dolmen/init.h>
#include <dolmen/numa.h>
#include "lib/memory.h"
#include "mm/log.h"
#include "mm/page_alloc.h"

#define TICKS_PER_SWEEP 64
#define SWEPT_SHEAVES	4      /* of an idle barn, in one sweep of one CPU */
#define SHEAF_BYTES_MAX 16384u /* of objects in one sheaf */

static struct kmem_cache cache_cache, node_cache, caches_of_sheaves[SHEAF_CACHES];

static struct {
	struct spinlock lock;
	struct list_head head;
} caches;

static bool all_exact; /* see dolmen_exact() */

/* ---- the page allocator as a page source ---- */

static struct page *pages_alloc(struct page_source *source, int nid, gfp_t gfp, unsigned order)
{
	(void)source;
	return alloc_pages_node(nid, gfp, order);
}

static void pages_free(struct page_source *source, struct page *page, unsigned order)
{
	(void)source;
	__free_pages(page, order);
}

static struct page_source buddy_pages = {.alloc = pages_alloc, .free = pages_free};

/* ---- limits ---- */

static unsigned log2_floor(uint64_t value)
{
	return value ? 63u - (unsigned)__builtin_clzl(value) : 0;
}

static unsigned clamp(uint64_t value, unsigned low, unsigned high)
{
	return value < low ? low : value > high ? high : (unsigned)value;
}

static uint64_t all_pages(void)
{
	uint64_t pages = 0;

	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
		pages += page_alloc_managed(nid);
	return pages;
}

/*
 * A sheaf holds at most 16 KiB, those of all CPUs together at most 1/1024 of the memory, a barn at
 * most 1/1024 of its node. But 4 objects at the least, if a sheaf may hold any. 256-byte objects on
 * 4 CPUs and 1 GiB in two nodes: at most 64 in a sheaf, 32 sheaves in a barn.
 */
static void set_sheaf_limits(struct kmem_cache *cache)
{
	uint64_t stride = cache->kc_stride, share = all_pages() * PAGE_SIZE / 1024;
	uint64_t sheaf = share / (3 * numa_nr_cpus()) / stride;

	sheaf = clamp(sheaf, 4, clamp(SHEAF_BYTES_MAX / stride, 4, SHEAF_MAX));
	if (port_load(&all_exact) || stride > SHEAF_BYTES_MAX ||
		cache->kc_flags & SLAB_CONSISTENCY_CHECKS)
		sheaf = 0;
	uint64_t barn = sheaf ? share / numa_nr_nodes() / (sheaf * stride) : 0;
	port_store(&cache->kc_sheaf_max, (uint32_t)sheaf);
	port_store(&cache->kc_barn_max, clamp(barn, 0, BARN_SLOTS));
}

/*
 * All formulas in one place. A CPU holds about the objects that a burst needs, more of the smaller;
 * a node keeps more slabs the more CPUs share it. Small machines keep less: all CPUs together at
 * most 1/256 of the memory, a node's list 1/1024 of it. 64-byte objects on 4 CPUs and 1 GiB: 3
 * slabs of 64 a CPU, 6 a node.
 */
static void set_default_limits(struct kmem_cache *cache)
{
	unsigned burst = cache->kc_stride >= 4096   ? 8
			 : cache->kc_stride >= 1024 ? 24
			 : cache->kc_stride >= 256  ? 52
						    : 120;
	unsigned cpus = numa_nr_cpus(), order = cache->kc_best.order;
	uint64_t slabs = all_pages() >> order; /* that all memory would make */
	uint64_t cpu_share = slabs / 256 / cpus, node_share = slabs / 1024 / numa_nr_nodes();
	unsigned cpu_slabs = (burst + cache->kc_best.objects - 1) / cache->kc_best.objects + 1;
	unsigned min_partial = 2 + log2_floor(cpus) + (order < 2 ? 2 - order : 0);

	if (cpu_slabs > cpu_share)
		cpu_slabs = (unsigned)cpu_share;
	if (min_partial > node_share)
		min_partial = (unsigned)node_share;
	min_partial = clamp(min_partial, 1, 16);
	port_store(&cache->kc_cpu_slabs, clamp(cpu_slabs, 1, CPU_SLABS_MAX));
	port_store(&cache->kc_min_partial, min_partial);
	port_store(&cache->kc_max_partial, 4 * min_partial);
	port_store(&cache->kc_remote_ratio, 10u);
}

/* Takes the limits of sheaves and barns into force; of a barn, as far as its slots are vacant. */
static void apply_sheaf_limits(struct kmem_cache *cache)
{
	sheaf_set_size(cache, 0);
	sheaf_drain_all(cache);
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		struct kmem_cache_node *node = cache->kc_node[nid];
		unsigned nr = node ? port_load(&node->kn_nr_barns) : 0;
		unsigned sheaves = port_load(&cache->kc_barn_max);

		for (unsigned i = 0; i < nr; i++) /* each its part */
			barn_resize(&node->kn_barn[i], (sheaves + i) / nr);
	}
}

static void reset_sheaves(struct kmem_cache *cache, void *arg)
{
	(void)arg;
	set_sheaf_limits(cache);
	apply_sheaf_limits(cache);
}

static uint32_t *knob_word(struct kmem_cache *cache, enum cache_knob knob)
{
	switch (knob) {
	case KNOB_CPU_SLABS:
		return &cache->kc_cpu_slabs;
	case KNOB_MIN_PARTIAL:
		return &cache->kc_min_partial;
	case KNOB_MAX_PARTIAL:
		return &cache->kc_max_partial;
	case KNOB_SHEAF:
		return &cache->kc_sheaf_max;
	case KNOB_BARN:
		return &cache->kc_barn_max;
	default:
		return &cache->kc_remote_ratio;
	}
}

unsigned cache_knob(struct kmem_cache *cache, enum cache_knob knob)
{
	return port_load(knob_word(cache, knob));
}

unsigned cache_set_knob(struct kmem_cache *cache, enum cache_knob knob, unsigned value)
{
	switch (knob) {
	case KNOB_CPU_SLABS:
		value = clamp(value, 1, CPU_SLABS_MAX);
		break;
	case KNOB_MIN_PARTIAL:
		value = clamp(value, 0, port_load(&cache->kc_max_partial));
		break;
	case KNOB_MAX_PARTIAL:
		value = clamp(value, port_load(&cache->kc_min_partial), 1u << 16);
		break;
	case KNOB_SHEAF:
		value = clamp(value, 0, cache->kc_flags & SLAB_CONSISTENCY_CHECKS ? 0 : SHEAF_MAX);
		break;
	case KNOB_BARN:
		value = clamp(value, 0, BARN_SLOTS);
		break;
	default:
		value = clamp(value, 0, 100);
	}
	port_store(knob_word(cache, knob), value);
	if (knob == KNOB_SHEAF || knob == KNOB_BARN)
		apply_sheaf_limits(cache);
	return value;
}

/* ---- making a cache ---- */

/*
 * 8, or 16 for a multiple of 16: what C can ask for in an object of that size. On request a line,
 * or the part of one that fits.
 */
static size_t object_align(size_t size_bytes, size_t align_bytes, unsigned flags)
{
	size_t align = size_bytes % 16 ? 8 : 16, line = DOLMEN_CACHE_LINE;

	if (flags & SLAB_HWCACHE_ALIGN) {
		while (size_bytes <= line / 2)
			line /= 2;
		align = line > align ? line : align;
	}
	return align_bytes > align ? align_bytes : align;
}

static bool lay_out(struct kmem_cache *cache, size_t size_bytes, size_t align_bytes)
{
	size_t align = object_align(size_bytes, align_bytes, cache->kc_flags);
	size_t stride = (size_bytes + align - 1) & ~(align - 1);

	if (!slab_choose_geometry(stride, &cache->kc_best, &cache->kc_min))
		return false;
	cache->kc_stride = (uint32_t)stride;
	cache->kc_offset_mask = (uint32_t)(PAGE_SIZE << cache->kc_best.order) - 1;
	if (cache->kc_best.objects > WINDOW_OBJECTS)
		cache->kc_wide = (uint32_t)(PAGE_SIZE - (cache->kc_best.objects + 63) / 64 * 8);
	cache->kc_reciprocal = (uint32_t)(((1ul << 32) + stride - 1) / stride);
	cache->kc_object_bytes = (uint32_t)size_bytes;
	cache->kc_source = &buddy_pages;
	if (cache->kc_flags & SLAB_CACHE_DMA32)
		cache->kc_gfp = GFP_DMA32;
	return true;
}

static size_t node_bytes(unsigned nr_barns)
{
	return sizeof(struct kmem_cache_node) + nr_barns * sizeof(struct barn);
}

static void init_node(struct kmem_cache_node *node, unsigned nr_barns)
{
	memset(node, 0, node_bytes(nr_barns));
	for (unsigned i = 0; i < PARTIAL_BUCKETS; i++)
		list_init(&node->kn_partial[i]);
	port_store(&node->kn_nr_barns, nr_barns);
	for (unsigned i = 0; i < nr_barns; i++)
		barn_init(&node->kn_barn[i]);
}

static bool add_cpus(struct kmem_cache *cache)
{
	cache->kc_cpu_offset = percpu_alloc(sizeof(struct kmem_cache_cpu), DOLMEN_CACHE_LINE);
	if (!cache->kc_cpu_offset)
		return false;
	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++) {
		struct kmem_cache_cpu *c = cache_cpu(cache, cpu);

		port_store(&c->cc_nid, (uint16_t)cpu_to_mem(cpu));
		port_store(&c->cc_llc, (uint16_t)cpu_to_llc(cpu));
		port_store(&c->cc_main.sl_stack, &closed_stack);
		port_store(&c->cc_main.sl_home, slab_home(cpu_to_mem(cpu)));
		for (unsigned i = 0; i < CROSS_SLOTS; i++) {
			port_store(&c->cc_cross[i].sl_stack, &closed_stack);
			port_store(&c->cc_cross[i].sl_home, (uint16_t)PORT_NO_HOME);
		}
		port_store(&c->cc_spare, &closed_stack);
	}
	return true;
}

static bool add_nodes(struct kmem_cache *cache)
{
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		if (!numa_has_memory(nid))
			continue;
		cache->kc_node[nid] = partial_alloc_node(&node_cache, GFP_KERNEL, (int)nid);
		if (!cache->kc_node[nid])
			return false;
		init_node(cache->kc_node[nid], numa_nr_llcs(nid));
	}
	return true;
}

static void enlist(struct kmem_cache *cache)
{
	unsigned long flags = spin_lock_irqsave(&caches.lock);

	list_add_tail(&cache->kc_list, &caches.head);
	spin_unlock_irqrestore(&caches.lock, flags);
}

/* Everything of a cache that is on no list, has no slab, and may be half made. */
static void take_apart(struct kmem_cache *cache)
{
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
		if (cache->kc_node[nid])
			kmem_cache_free(&node_cache, cache->kc_node[nid]);
	if (cache->kc_cpu_offset)
		percpu_free(cache->kc_cpu_offset, sizeof(struct kmem_cache_cpu));
	kmem_cache_free(&cache_cache, cache);
}

static struct kmem_cache *make_cache(const char *name, size_t size_bytes, size_t align_bytes,
	unsigned flags, void (*ctor)(void *object))
{
	struct kmem_cache *cache = kmem_cache_alloc(&cache_cache, GFP_KERNEL | __GFP_ZERO);

	if (!cache)
		return NULL;
	cache->kc_name = name;
	cache->kc_flags = flags;
	cache->kc_ctor = ctor;
	if (!lay_out(cache, size_bytes, align_bytes) || !add_cpus(cache) || !add_nodes(cache)) {
		take_apart(cache);
		return NULL;
	}
	set_default_limits(cache);
	enlist(cache);
	reset_sheaves(cache, NULL); /* dolmen_exact() sees the cache by now, or is seen here */
	return cache;
}

struct kmem_cache *kmem_cache_create(const char *name, size_t size_bytes, size_t align_bytes,
	unsigned flags, void (*ctor)(void *object))
{
	struct kmem_cache *cache = NULL;

	if (!name || !size_bytes || size_bytes > KMALLOC_MAX_SIZE ||
		(align_bytes & (align_bytes - 1)) || align_bytes > KMALLOC_MAX_SIZE)
		mm_log("slab: cache %s not made: size %zu or alignment %zu",
			name ? name : "(no name)", size_bytes, align_bytes);
	else if (!(cache = make_cache(name, size_bytes, align_bytes, flags, ctor)))
		mm_log("slab: cache %s not made: out of memory", name);
	if (!cache && flags & SLAB_PANIC)
		port_panic("slab: a cache that must exist could not be made");
	return cache;
}

/*
 * The node parts of the cache of node parts: the first slab on each node is counted in a stand-in,
 * gives its first object, and the counts move there.
 */
static bool boot_node_cache(void)
{
	static struct kmem_cache_node stand_in;
	bool any = false;

	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		if (!numa_has_memory(nid))
			continue;
		init_node(&stand_in, 0);
		node_cache.kc_node[nid] = &stand_in;
		struct page *page = slab_new(&node_cache, __GFP_THISNODE | __GFP_NOWARN, (int)nid);
		node_cache.kc_node[nid] = page ? slab_take(&node_cache, page) : NULL;
		if (!page)
			continue;
		slab_count(&node_cache, ALLOC_SLOWPATH);
		struct kmem_cache_node *node = node_cache.kc_node[nid];
		init_node(node, numa_nr_llcs(nid));
		port_store(&node->kn_slabs, port_load(&stand_in.kn_slabs));
		port_store(&node->kn_objects, port_load(&stand_in.kn_objects));
		partial_unfreeze(&node_cache, &page, 1);
		any = true;
	}
	return any;
}

static bool boot_cache(struct kmem_cache *cache, const char *name, size_t size_bytes)
{
	cache->kc_name = name;
	cache->kc_flags = SLAB_HWCACHE_ALIGN | SLAB_PERMANENT | SLAB_CONSISTENCY_CHECKS;
	if (!lay_out(cache, size_bytes, 0) || !add_cpus(cache))
		return false;
	set_default_limits(cache);
	enlist(cache);
	return true;
}

static bool boot_sheaves(const char *name, uint32_t capacity)
{
	struct kmem_cache *cache = &caches_of_sheaves[sheaf_cache_of(capacity)];

	if (!boot_cache(cache, name, sizeof(struct port_stack) + capacity * sizeof(void *)) ||
		!add_nodes(cache))
		return false;
	sheaf_caches[sheaf_cache_of(capacity)] = cache;
	return true;
}

/* Memory is short somewhere: whatever empty slabs lie about. Registered with the page allocator. */
static bool reclaim_slabs(int nid, gfp_t gfp, unsigned order)
{
	(void)nid, (void)gfp, (void)order;
	return dolmen_drain_all() != 0;
}

static unsigned most_barns(void)
{
	unsigned most = 0;

	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
		most = numa_nr_llcs(nid) > most ? numa_nr_llcs(nid) : most;
	return most;
}

bool cache_init(void)
{
	slab_frozen_fast = port_has_cas16() ? SLAB_FROZEN : 0;
	no_cache.kc_cpu_offset = percpu_alloc(sizeof(struct kmem_cache_cpu), DOLMEN_CACHE_LINE);
	list_init(&caches.head);
	if (!no_cache.kc_cpu_offset ||
		!boot_cache(&node_cache, "kmem_cache_node", node_bytes(most_barns())) ||
		!boot_node_cache() ||
		!boot_cache(&cache_cache, "kmem_cache", sizeof(struct kmem_cache)) ||
		!add_nodes(&cache_cache) || !boot_sheaves("sheaf-small", SHEAF_START) ||
		!boot_sheaves("sheaf", SHEAF_MAX))
		return false;
	page_reclaim = reclaim_slabs;
	return true;
}

/* ---- shrinking and destroying ---- */

size_t kmem_cache_shrink(struct kmem_cache *cache)
{
	size_t pages = sheaf_drain_all(cache);

	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++)
		pages += partial_drain_cpu(cache, cpu);
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
		if (cache->kc_node[nid])
			pages += partial_shrink_node(cache, cache->kc_node[nid]);
	return pages;
}

bool cache_visit(unsigned n, void (*visit)(struct kmem_cache *cache, void *arg), void *arg)
{
	unsigned long flags = spin_lock_irqsave(&caches.lock);
	struct kmem_cache *cache = NULL;
	struct list_head *pos;

	list_for_each (pos, &caches.head) {
		if (n--)
			continue;
		cache = container_of(pos, struct kmem_cache, kc_list);
		port_fetch_add(&cache->kc_pins, 1u);
		break;
	}
	spin_unlock_irqrestore(&caches.lock, flags);
	if (!cache)
		return false;
	visit(cache, arg);
	port_fetch_add(&cache->kc_pins, -1u);
	return true;
}

static void shrink_visited(struct kmem_cache *cache, void *arg)
{
	*(size_t *)arg += kmem_cache_shrink(cache);
}

size_t dolmen_drain_all(void)
{
	size_t pages = 0;

	for (unsigned n = 0; cache_visit(n, shrink_visited, &pages); n++)
		;
	/* Sheaves of the caches behind it have come back. */
	for (unsigned i = 0; i < SHEAF_CACHES; i++)
		if (sheaf_caches[i])
			pages += kmem_cache_shrink(sheaf_caches[i]);
	return pages;
}

bool dolmen_exact(bool on)
{
	bool before = port_swap(&all_exact, on);

	for (unsigned n = 0; before != on && cache_visit(n, reset_sheaves, NULL); n++)
		;
	return before;
}

bool kmem_cache_destroy(struct kmem_cache *cache)
{
	uint64_t slabs = 0;

	if (!cache)
		return true;
	if (cache->kc_flags & SLAB_PERMANENT) {
		mm_log("slab: cache %s is the allocator's own, not destroyed", cache->kc_name);
		return false;
	}
	/* A tick, or a visit under way, may just hold some of it. */
	unsigned long flags = spin_lock_irqsave(&caches.lock);
	list_del(&cache->kc_list);
	spin_unlock_irqrestore(&caches.lock, flags);
	while (port_load_acquire(&cache->kc_pins))
		port_relax();
	kmem_cache_shrink(cache);
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++)
		if (cache->kc_node[nid])
			slabs += port_load(&cache->kc_node[nid]->kn_slabs);
	if (slabs) {
		enlist(cache);
		slab_reports.live_objects(cache);
		return false;
	}
	take_apart(cache);
	return true;
}

/* What changes whenever this CPU uses the cache, or almost: an object more or less in main. */
static uint32_t uses(const struct kmem_cache_cpu *c)
{
	return (uint32_t)port_load(&c->cc_stat[ALLOC_SLOWPATH]) +
	       port_load(&port_load(&c->cc_main.sl_stack)->ps_count);
}

/*
 * Of a node's barn, some of the sheaves that nobody traded for since the last sweep. If all of it
 * lay idle, new sheaves are half as large.
 */
static void sweep_barn(struct kmem_cache *cache, struct kmem_cache_cpu *c)
{
	struct barn *barn = barn_near(cache->kc_node[c->cc_nid], c);
	uint16_t before = port_load(&c->cc_trades);
	bool unused = (uint16_t)port_load(&barn->bn_trades) == before;
	uint64_t idle = barn_idle(barn, before);

	if (unused || idle)
		sheaf_drain_barn(cache, c->cc_nid, barn, idle, SWEPT_SHEAVES);
	if (unused)
		sheaf_set_size(cache, port_load(&cache->kc_sheaf_size) / 2);
	port_store(&c->cc_trades, (uint16_t)port_load(&barn->bn_trades));
}

/*
 * What a CPU holds of a cache that it has not used since the last sweep goes back: its sheaves to
 * their slabs, its slabs to their nodes. A cache whose main sheaf holds as much as then counts as
 * not used: the next use costs one refill.
 */
static void sweep(struct kmem_cache *cache)
{
	unsigned cpu = port_cpu();
	struct kmem_cache_cpu *c = cache_cpu(cache, cpu);

	if (cache->kc_node[c->cc_nid])
		sweep_barn(cache, c);
	if (port_load(&c->cc_idle) == uses(c)) {
		sheaf_drain_cpu(cache, cpu);
		if (port_load(&c->cc_nr))
			partial_drain_cpu(cache, cpu);
	}
	port_store(&c->cc_idle, uses(c));
}

/*
 * Every TICKS_PER_SWEEP-th call on a CPU sweeps. A cache list that is busy is left for the next
 * call.
 */
void dolmen_tick(void)
{
	unsigned long flags = port_irq_save();
	struct kmem_cache_cpu *c = cache_this_cpu(&cache_cache);
	unsigned ticks = port_load(&c->cc_ticks) + 1u;
	struct list_head *pos;

	if (ticks >= TICKS_PER_SWEEP && spin_trylock(&caches.lock)) {
		list_for_each (pos, &caches.head)
			sweep(container_of(pos, struct kmem_cache, kc_list));
		spin_unlock(&caches.lock);
		ticks = 0;
	}
	port_store(&c->cc_ticks, ticks);
	port_irq_restore(flags);
}

/* ---- objects ---- */

void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	return sheaf_pop(cache, gfp);
}

void *kmem_cache_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	if (nid == NUMA_NO_NODE)
		return sheaf_pop(cache, gfp);
	void *object = sheaf_pop_node(cache->kc_cpu_offset, (unsigned)nid);
	if (unlikely(!object))
		return sheaf_alloc_node(cache, gfp, nid);
	port_object_taken(object, cache->kc_object_bytes);
	return slab_zeroed(cache, object, gfp);
}

void cache_free_slow(struct kmem_cache *cache, void *object, const void *caller)
{
	uint64_t word;
	struct page *page = object_page(object, &word);

	if (page_kind(word) == PAGE_SLAB)
		sheaf_free(page, object, cache, caller);
	else if (object)
		slab_reports.wrong_free(FREE_FOREIGN, NULL, cache, object, caller);
}

/* Reached by a jump: it returns to who called kmem_cache_free(). */
static __attribute__((slow_path)) void free_slow(struct kmem_cache *cache, void *object)
{
	cache_free_slow(cache, object, __builtin_return_address(0));
}

void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	struct page *page = addr_to_page(object);

	if (likely(page)) {
		uint64_t word = port_load_acquire(&page->pg_word);

		if (likely(word >> PAGE_PERCPU_SHIFT == cache->kc_cpu_offset) &&
			likely(sheaf_push(object, word)))
			return;
	}
	free_slow(cache, object);
}

size_t kmem_cache_size(const struct kmem_cache *cache)
{
	return cache->kc_object_bytes;
}
