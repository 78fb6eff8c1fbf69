/*
 * Sums of what CPUs and nodes count, and the objects in use by looking at slabs.
 *
 * Counting takes the slow lock of a CPU and the list lock of a node, one at a time, so it disturbs
 * but never blocks for long.
 */
#include "mm/stats.h"
#include <dolmen/numa.h>
#include "lib/memory.h"

/* Free objects in the slabs of one CPU. */
static uint64_t free_on_cpu(struct kmem_cache *cache, unsigned cpu, struct cache_stats *out)
{
	struct kmem_cache_cpu *c = cache_cpu(cache, cpu);
	unsigned long flags = spin_lock_irqsave(&c->cc_lock);
	uint64_t free = 0;

	for (unsigned i = 0; i < port_load(&c->cc_nr); i++) {
		uint64_t counters = slab_pair(port_load(&c->cc_slab[i])).hi;

		free += pair_free(counters);
		out->cpu_slabs++;
	}
	spin_unlock_irqrestore(&c->cc_lock, flags);
	for (unsigned stat = 0; stat < NR_KEPT_STATS; stat++)
		out->stat[stat] += port_load(&c->cc_stat[stat]);
	return free;
}

/* Free objects in the slabs on one node's list. */
static uint64_t free_on_node(struct kmem_cache_node *node)
{
	unsigned long flags = spin_lock_irqsave(&node->kn_lock);
	struct list_head *pos;
	uint64_t free = 0;

	for (unsigned i = 0; i < PARTIAL_BUCKETS; i++) {
		list_for_each (pos, &node->kn_partial[i]) {
			uint64_t counters = slab_pair(container_of(pos, struct page, pg_list)).hi;

			free += pair_free(counters);
		}
	}
	spin_unlock_irqrestore(&node->kn_lock, flags);
	return free;
}

/* Main, spare, crosses and the slots of each CPU, the barn and the empty slabs of each node. */
static uint64_t hoard_bound(struct kmem_cache *cache)
{
	uint64_t slab_bytes = PAGE_SIZE << cache->kc_best.order;
	uint64_t sheaf_bytes = (uint64_t)cache_knob(cache, KNOB_SHEAF) * cache->kc_stride;
	unsigned others = numa_nr_nodes() - 1,
		 crosses = others < CROSS_SLOTS ? others : CROSS_SLOTS;
	uint64_t cpu_bytes =
		(2 + crosses) * sheaf_bytes + cache_knob(cache, KNOB_CPU_SLABS) * slab_bytes;
	uint64_t node_bytes = cache_knob(cache, KNOB_BARN) * sheaf_bytes +
			      cache_knob(cache, KNOB_MIN_PARTIAL) * slab_bytes;

	return numa_nr_cpus() * cpu_bytes + numa_nr_nodes() * node_bytes;
}

void cache_stats(struct kmem_cache *cache, struct cache_stats *out)
{
	size_t slab_bytes = PAGE_SIZE << cache->kc_best.order;
	uint64_t free = 0;

	memset(out, 0, sizeof(*out));
	out->name = cache->kc_name;
	out->object_bytes = cache->kc_object_bytes;
	out->stride_bytes = cache->kc_stride;
	out->objects_per_slab = cache->kc_best.objects;
	out->order = cache->kc_best.order;
	out->waste_permille =
		(uint32_t)((slab_bytes - (size_t)cache->kc_best.objects * cache->kc_object_bytes) *
			   1000 / slab_bytes);
	for (unsigned knob = 0; knob < NR_CACHE_KNOBS; knob++)
		out->knobs[knob] = cache_knob(cache, knob);
	for (unsigned cpu = 0; cpu < numa_nr_cpus(); cpu++)
		free += free_on_cpu(cache, cpu, out);
	for (unsigned nid = 0; nid < numa_nr_nodes(); nid++) {
		struct kmem_cache_node *node = cache->kc_node[nid];

		if (!node)
			continue;
		free += free_on_node(node);
		out->node_partial[nid] = port_load(&node->kn_nr_partial);
		out->partial += out->node_partial[nid];
		out->slabs += port_load(&node->kn_slabs);
		out->objects += port_load(&node->kn_objects);
	}
	out->hoard_bound = hoard_bound(cache);
	out->pages = out->slabs << out->order;
	uint64_t taken = out->objects > free ? out->objects - free : 0;
	out->in_sheaves = sheaf_objects(cache);
	out->in_use = taken > out->in_sheaves ? taken - out->in_sheaves : 0;
	/*
	 * What came out of slabs and is not out any more was freed to them; frees into frozen slabs
	 * are the ones not counted.
	 */
	uint64_t frees = out->stat[ALLOC_SLOWPATH] - taken;
	out->stat[FREE_FROZEN] =
		frees > out->stat[FREE_SLOWPATH] ? frees - out->stat[FREE_SLOWPATH] : 0;
	out->stat[FREE_SLOWPATH] += out->stat[FREE_FROZEN];
}

static void visit_stats(struct kmem_cache *cache, void *arg)
{
	cache_stats(cache, arg);
}

bool cache_stats_nth(unsigned n, struct cache_stats *out)
{
	return cache_visit(n, visit_stats, out);
}

struct total {
	enum slab_stat stat;
	uint64_t sum;
};

static void visit_total(struct kmem_cache *cache, void *arg)
{
	struct total *total = arg;
	struct cache_stats stats;

	cache_stats(cache, &stats);
	total->sum += stats.stat[total->stat];
}

uint64_t slab_stat_total(enum slab_stat stat)
{
	struct total total = {.stat = stat};

	if (stat < NR_KEPT_STATS)
		for (unsigned n = 0; cache_visit(n, visit_total, &total); n++)
			;
	return total.sum;
}

const char *slab_stat_name(enum slab_stat stat)
{
#define NAME(stat_) [stat_] = #stat_
	static const char *const names[NR_SLAB_STATS] = {NAME(ALLOC_SLOWPATH), NAME(FREE_SLOWPATH),
		NAME(FREE_FROZEN), NAME(ALLOC_FROM_PARTIAL), NAME(ALLOC_SLAB), NAME(FREE_SLAB),
		NAME(CPU_PARTIAL_FREE), NAME(CPU_PARTIAL_DRAIN), NAME(ORDER_FALLBACK),
		NAME(CMPXCHG_DOUBLE_FAIL), NAME(ALLOC_NODE_MISMATCH), NAME(ALLOC_FASTPATH),
		NAME(FREE_FASTPATH), NAME(FREE_ADD_PARTIAL), NAME(FREE_REMOVE_PARTIAL),
		NAME(ALLOC_REFILL), NAME(CPUSLAB_FLUSH), NAME(DEACTIVATE_FULL),
		NAME(DEACTIVATE_EMPTY), NAME(DEACTIVATE_TO_HEAD), NAME(DEACTIVATE_TO_TAIL),
		NAME(DEACTIVATE_REMOTE_FREES), NAME(DEACTIVATE_BYPASS),
		NAME(CMPXCHG_DOUBLE_CPU_FAIL), NAME(CPU_PARTIAL_ALLOC), NAME(CPU_PARTIAL_NODE)};
#undef NAME

	return stat < NR_SLAB_STATS ? names[stat] : "(none)";
}
