/*
 * Sheaves when all is quiet: each is in one place, each object in at most one of them, each slot of
 * a barn in one state.
 *
 * Main and spare of a CPU are written under its slow lock alone; that is looked at in the step
 * itself. For the objects watch.c puts it together: each is in a sheaf, free in its slab, or out.
 */
#include "test/model/world.h"

#include <string.h>

static struct granules kept; /* objects in sheaves, and sheaves themselves */

static void keep(const void *object, const char *what)
{
	uint64_t bit, *word = granule_of(&kept, object, &bit);

	if (!word)
		model_fail("%s %p is no memory of the world", what, object);
	if (*word & bit)
		model_fail("%s %p is in two places", what, object);
	*word |= bit;
}

bool watch_in_sheaf(const void *object)
{
	uint64_t bit, *word = granule_of(&kept, object, &bit);

	return word && *word & bit;
}

static bool is_slot(const struct kmem_cache_cpu *c, const void *at)
{
	for (unsigned i = 0; i < CROSS_SLOTS; i++)
		if (at == &c->cc_cross[i].sl_stack)
			return true;
	return at == &c->cc_main.sl_stack || at == &c->cc_spare;
}

void watch_sheaf_slot(struct kmem_cache_cpu *c, const void *at)
{
	if (is_slot(c, at) && !model_holds(&c->cc_lock))
		model_fail("a CPU's sheaf is changed without its slow lock");
}

/* The slab that a pointer lies in, if it is the start of an object of the cache. */
static const struct page *slab_of(const struct kmem_cache *cache, const void *object)
{
	const struct page *page = world_page_of(object);

	if (page && page->pg_word & PAGE_TAIL)
		page = page->pg_head;
	if (!page || page_kind(page->pg_word) != PAGE_SLAB || page->pg_cache != cache ||
		((const char *)object - world_page_address(page)) % cache->kc_stride)
		return NULL;
	return page;
}

/* Objects in it, all of the node. */
static unsigned see_sheaf(const struct kmem_cache *cache, unsigned nid,
	const struct port_stack *sheaf, bool exact_limits)
{
	if (!slab_of(sheaf_caches[sheaf_cache_of(sheaf->ps_max)], sheaf))
		model_fail("%p of %s is no sheaf", (const void *)sheaf, cache->kc_name);
	keep(sheaf, "sheaf");
	if (sheaf->ps_count > sheaf->ps_max || !sheaf->ps_max || sheaf->ps_max > SHEAF_MAX)
		model_fail("a sheaf of %s has %u objects of %u", cache->kc_name, sheaf->ps_count,
			sheaf->ps_max);
	if (exact_limits && sheaf->ps_max > cache->kc_sheaf_max)
		model_fail("a sheaf of %s has room for %u, not %u at most", cache->kc_name,
			sheaf->ps_max, cache->kc_sheaf_max);
	for (unsigned i = 0; i < sheaf->ps_count; i++) {
		const struct page *page = slab_of(cache, sheaf->ps_item[i]);

		if (!page)
			model_fail("%p in a sheaf is no object of %s", sheaf->ps_item[i],
				cache->kc_name);
		if (page_node(page->pg_word) != nid)
			model_fail("a sheaf of node %u has an object of %s", nid, page_name(page));
		keep(sheaf->ps_item[i], "object");
	}
	return sheaf->ps_count;
}

static unsigned see_cpu(struct kmem_cache *cache, unsigned cpu, bool exact_limits)
{
	const struct kmem_cache_cpu *c = world_cpu_part(cache, cpu);

	const struct port_stack *main = c->cc_main.sl_stack;
	unsigned objects = 0;

	if ((main == &closed_stack) != (c->cc_spare == &closed_stack))
		model_fail("CPU %u has one sheaf of %s", cpu, cache->kc_name);
	if (c->cc_main.sl_home != slab_home(c->cc_nid))
		model_fail("CPU %u takes home %x of %s into main", cpu, c->cc_main.sl_home,
			cache->kc_name);
	bool none = exact_limits && !cache->kc_sheaf_max, any = main != &closed_stack;
	if (main != &closed_stack)
		objects = see_sheaf(cache, c->cc_nid, main, exact_limits) +
			  see_sheaf(cache, c->cc_nid, c->cc_spare, exact_limits);
	for (unsigned i = 0; i < CROSS_SLOTS; i++) {
		const struct port_slot *cross = &c->cc_cross[i];

		if (cross->sl_stack == &closed_stack)
			continue;
		any = true;
		objects += see_sheaf(
			cache, cross->sl_home >> PAGE_NODE_SHIFT, cross->sl_stack, exact_limits);
	}
	if (none && any)
		model_fail("CPU %u has sheaves of %s, which is exact", cpu, cache->kc_name);
	return objects;
}

static unsigned see_barn(
	struct kmem_cache *cache, unsigned nid, const struct barn *barn, bool exact_limits)
{
	uint64_t with = barn->bn_full ^ barn->bn_empty, without = barn->bn_closed ^ barn->bn_vacant;
	unsigned objects = 0;

	if ((barn->bn_full & barn->bn_empty) | (barn->bn_closed & barn->bn_vacant) |
		(with & without))
		model_fail("a slot of the barn of %s on node %u is in two states", cache->kc_name,
			nid);
	if (~(with | without))
		model_fail(
			"a slot of the barn of %s on node %u is in no state", cache->kc_name, nid);
	for (unsigned i = 0; i < BARN_SLOTS; i++) {
		const struct port_stack *sheaf = barn->bn_sheaf[i];
		bool full = barn->bn_full >> i & 1, any = with >> i & 1;

		if (any != (sheaf != NULL))
			model_fail("slot %u of the barn of %s has %s sheaf", i, cache->kc_name,
				sheaf ? "a" : "no");
		if (sheaf && full != (sheaf->ps_count != 0))
			model_fail("a sheaf of %s with %u objects is called %s", cache->kc_name,
				sheaf->ps_count, full ? "full" : "empty");
		objects += sheaf ? see_sheaf(cache, nid, sheaf, exact_limits) : 0;
	}
	return objects;
}

static unsigned see_barns(struct kmem_cache *cache, unsigned nid, bool exact_limits)
{
	const struct kmem_cache_node *node = cache->kc_node[nid];
	unsigned objects = 0, open = 0;

	for (unsigned i = 0; i < node->kn_nr_barns; i++) {
		objects += see_barn(cache, nid, &node->kn_barn[i], exact_limits);
		open += (unsigned)__builtin_popcountl(~node->kn_barn[i].bn_closed);
	}
	if (exact_limits && open > cache->kc_barn_max)
		model_fail("the barns of %s on node %u have more than %u slots open",
			cache->kc_name, nid, cache->kc_barn_max);
	return objects;
}

void watch_find_sheaves(bool exact_limits)
{
	memset(&kept, 0, sizeof(kept));
	for (unsigned i = 0; i < WORLD_CACHES; i++) {
		struct kmem_cache *cache = world_caches[i];
		uint64_t objects = 0;

		if (!cache)
			continue;
		for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++)
			objects += see_cpu(cache, cpu, exact_limits);
		for (unsigned nid = 0; nid < world_nr_nodes; nid++)
			objects += see_barns(cache, nid, exact_limits);
		if (objects != sheaf_objects(cache))
			model_fail("%lu objects in the sheaves of %s, counted %lu", objects,
				cache->kc_name, sheaf_objects(cache));
	}
}

bool watch_of_sheaves(const void *at)
{
	const struct page *page = world_page_of(at);

	if (page && page_kind(page->pg_word) == PAGE_SLAB && world_is_of_sheaves(page->pg_cache))
		return true;
	for (unsigned i = 0; i < WORLD_CACHES; i++) {
		const struct kmem_cache *cache = world_caches[i];

		if (!cache)
			continue;
		for (unsigned nid = 0; nid < world_nr_nodes; nid++) {
			const struct kmem_cache_node *node = cache->kc_node[nid];

			if ((const char *)at >= (const char *)&node->kn_barn[0] &&
				(const char *)at < (const char *)&node->kn_barn[node->kn_nr_barns])
				return true;
		}
		for (unsigned cpu = 0; cpu < MODEL_CPUS; cpu++) {
			const struct kmem_cache_cpu *c = world_cpu_part(cache, cpu);

			if (is_slot(c, at))
				return true;
			for (unsigned slot = 0; slot < CROSS_SLOTS; slot++)
				if (at == &c->cc_cross[slot].sl_home)
					return true;
		}
	}
	return false;
}
