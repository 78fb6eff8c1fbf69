/*
 * Boots mm/ on a machine of some dozens of pages.
 *
 * kmalloc_init() is the model's own here: it makes six caches whose slabs hold 1, 2, 4, 8 or 72
 * objects. mm/ would choose larger slabs for most of these sizes, so the geometry is set as
 * creation sets it, before the first slab.
 */
#include "test/model/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include "mm/memblock.h"
#include "test/acpi_bytes.h"

#define NODE_BYTES (1ul << PORT_SECTION_SHIFT)

const char *const world_cache_names[NR_WORLD_CACHES] = {
	"one", "two", "four", "eight", "fallback", "like one", "wide"};
struct kmem_cache *world_caches[WORLD_CACHES];
unsigned world_nr_nodes, world_wrong_page_frees;
struct page *world_pages[WORLD_NODES_MAX];
unsigned world_nr_pool[WORLD_NODES_MAX];

bool world_is_pool(struct page *page)
{
	return memblock_is_free(page_pfn(page), page_pfn(page) + 1);
}

unsigned world_cpu_node(unsigned cpu)
{
	return world_nr_nodes > 1 ? cpu & 1 : 0;
}

/* ---- what mm/ asks of its host ---- */

void port_log(const char *line)
{
	world_wrong_page_frees += strstr(line, "page_alloc: wrong free") != NULL;
	if (getenv("MODEL_LOG"))
		fprintf(stderr, "# %s\n", line);
}

void port_panic(const char *line)
{
	model_fail("panic: %s", line);
}

void port_set_percpu(unsigned cpu, void *area)
{
	model_cpus[cpu].percpu = area;
}

static void construct_four(void *object)
{
	memset(object, 0xc4, 1024);
}

/* In place of mm/kmalloc.c. */
bool kmalloc_init(void)
{
	static const struct {
		unsigned size_bytes, order, min_order;
		void (*ctor)(void *object);
	} shapes[NR_WORLD_CACHES] = {
		[CACHE_ONE] = {4096, 0, 0, NULL},
		[CACHE_TWO] = {2048, 0, 0, NULL},
		[CACHE_FOUR] = {1024, 0, 0, construct_four},
		[CACHE_EIGHT] = {512, 0, 0, NULL},
		[CACHE_FALLBACK] = {2048, 1, 0, NULL},
		[CACHE_LIKE_ONE] = {4096, 0, 0, NULL},
		[CACHE_WIDE] = {56, 0, 0, NULL},
	};

	for (unsigned i = 0; i < NR_WORLD_CACHES; i++) {
		struct kmem_cache *cache = kmem_cache_create(
			world_cache_names[i], shapes[i].size_bytes, 0, 0, shapes[i].ctor);

		if (!cache)
			return false;
		cache->kc_best = slab_geometry(cache->kc_stride, shapes[i].order);
		cache->kc_offset_mask = (uint32_t)(PAGE_SIZE << shapes[i].order) - 1;
		cache->kc_min = slab_geometry(cache->kc_stride, shapes[i].min_order);
		cache_set_knob(cache, KNOB_SHEAF, 0);
		cache_set_knob(cache, KNOB_BARN, 0);
		world_caches[i] = cache;
	}
	return world_caches[CACHE_WIDE]->kc_best.objects == WIDE_OBJECTS &&
	       world_caches[CACHE_WIDE]->kc_wide;
}

/* Arrays of the library's own lie in one of the world's caches. */
void *kmalloc_var(size_t size_bytes, gfp_t gfp)
{
	struct kmem_cache *cache = world_caches[CACHE_EIGHT];
	void *object = kmem_cache_alloc(cache, gfp);

	if (size_bytes > cache->kc_object_bytes)
		model_fail("%zu bytes are wanted of kmalloc", size_bytes);
	if (object)
		watch_took(cache, object, cache->kc_object_bytes);
	return object;
}

void kfree(const void *object)
{
	struct kmem_cache *cache = world_caches[CACHE_EIGHT];

	watch_gives(cache, object, cache->kc_object_bytes);
	kmem_cache_free(cache, (void *)object);
}

void kfree_slow(const void *object, const void *caller)
{
	(void)caller;
	model_fail("%p, no object of a cache, is freed", object);
}

/* ---- caches whose slots are watched ---- */

static void mark_slots(const struct kmem_cache *cache, enum model_line kind)
{
	unsigned first = cache->kc_cpu_offset / 64;
	unsigned end = first + (sizeof(struct kmem_cache_cpu) + 63) / 64;

	for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++) {
		uint64_t area = (uint64_t)((char *)model_cpus[cpu].percpu - model_base);

		for (unsigned line = first; line < end; line++)
			model_lines[area / 64 + line] = kind;
	}
}

unsigned world_add_cache(struct kmem_cache *cache)
{
	unsigned index = 0;

	while (index < WORLD_CACHES && world_caches[index])
		index++;
	if (index == WORLD_CACHES)
		model_fail("the program makes more than %u caches", WORLD_CACHES);
	world_caches[index] = cache;
	mark_slots(cache, LINE_SLOTS);
	return index;
}

/* The one destroyed last: nobody may write to its CPUs' parts until another cache is made. */
static struct kmem_cache dead_cache;

void world_remove_cache(unsigned index)
{
	dead_cache = *world_caches[index];
	mark_slots(&dead_cache, LINE_OTHER);
	world_caches[index] = NULL;
}

void world_bury_cache(bool buried)
{
	if (dead_cache.kc_cpu_offset)
		mark_slots(&dead_cache, buried ? LINE_DEAD : LINE_OTHER);
	if (!buried)
		dead_cache.kc_cpu_offset = 0;
}

/* ---- pages ---- */

bool world_find_page(const struct page *page, unsigned *nid, unsigned *index)
{
	for (unsigned i = 0; i < world_nr_nodes; i++) {
		if (page < world_pages[i] || page >= world_pages[i] + WORLD_PAGES)
			continue;
		*nid = i;
		*index = (unsigned)(page - world_pages[i]);
		return (const char *)page == (const char *)(world_pages[i] + *index);
	}
	return false;
}

struct page *world_page_of(const void *address)
{
	uint64_t at = (uint64_t)((const char *)address - model_base);
	uint64_t nid = at / NODE_BYTES, index = at % NODE_BYTES / PAGE_SIZE;

	return nid < world_nr_nodes && index < WORLD_PAGES ? &world_pages[nid][index] : NULL;
}

static void add_internal_cache(struct kmem_cache *cache, void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < NR_WORLD_CACHES; i++)
		if (world_caches[i] == cache)
			return;
	world_add_cache(cache);
}

static void make_srat(struct dolmen_init *init)
{
	begin_srat(3);
	for (unsigned nid = 0; nid < world_nr_nodes; nid++)
		put_srat_memory(1 + nid, nid * NODE_BYTES, NODE_BYTES, 1);
	for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++)
		put_srat_x2apic(cpu, 1 + world_cpu_node(cpu), 1);
	end_table();
	init->srat = table.bytes;
	init->srat_bytes = table.size_bytes;
}

static void boot(void *arg)
{
	static const uint32_t apic_ids[MODEL_CPUS] = {0, 1, 2};
	struct mem_range ranges[WORLD_NODES_MAX];
	struct dolmen_init init = {.ranges = ranges, .apic_ids = apic_ids, .nr_cpus = MODEL_CPUS};

	(void)arg;
	for (unsigned nid = 0; nid < world_nr_nodes; nid++) {
		unsigned pages = WORLD_POOL + 24 + NODE_BYTES / PAGE_SIZE * 64 / PAGE_SIZE;

		for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++)
			pages += world_cpu_node(cpu) == nid ? DOLMEN_PERCPU_BYTES / PAGE_SIZE : 0;
		ranges[init.nr_ranges++] =
			(struct mem_range){nid * NODE_BYTES, pages * PAGE_SIZE, MEM_USABLE};
	}
	if (world_nr_nodes > 1) {
		make_srat(&init);
		init.llc_shift = 1; /* CPUs 0 and 2 of node 0 share none */
	}
	if (!dolmen_init(&init))
		model_fail("dolmen_init failed");
	for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++) {
		model_become(cpu);
		dolmen_cpu_online(cpu);
	}
	model_become(0);
	dolmen_drain_all();
}

void world_init(unsigned nr_nodes)
{
	size_t align = 1ul << 22;
	char *all = mmap(NULL, MODEL_MEMORY_BYTES + align, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (all == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	model_base = (char *)(((uintptr_t)all + align - 1) & ~(align - 1));
	world_nr_nodes = nr_nodes;
	if (!model_try(boot, NULL)) {
		fprintf(stderr, "boot: %s\n", model_failure);
		exit(2);
	}
	for (unsigned nid = 0; nid < nr_nodes; nid++) {
		world_pages[nid] = pfn_to_page(nid * NODE_BYTES / PAGE_SIZE);
		memset(&model_lines[((char *)world_pages[nid] - model_base) / 64], LINE_PAGE,
			WORLD_PAGES);
		for (unsigned i = 0; i < WORLD_PAGES; i++)
			if (world_is_pool(&world_pages[nid][i]))
				world_nr_pool[nid] = i + 1;
	}
	for (unsigned i = 0; i < NR_WORLD_CACHES; i++)
		mark_slots(world_caches[i], LINE_SLOTS);
	for (unsigned n = 0; cache_visit(n, add_internal_cache, NULL); n++)
		;
	watch_init();
}
