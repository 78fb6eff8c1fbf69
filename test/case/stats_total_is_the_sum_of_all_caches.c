#include "test/slab_tools.h"

CONTRACT("the total of a counter is the sum of what all caches show for it",
	"slab_stat_total leaves out what cache_stats derives")
{
	static struct cache_stats stats;
	static uint64_t sums[NR_KEPT_STATS];
	static void *objects[100];
	unsigned nr_caches = 0;

	for (unsigned stat = 0; stat < NR_KEPT_STATS; stat++)
		sums[stat] = 0;
	for (unsigned i = 0; i < 100; i++)
		objects[i] = kmalloc_var(i * 50 + 1, GFP_KERNEL);
	for (unsigned i = 0; i < 100; i++)
		kfree(objects[i]);
	for (; cache_stats_nth(nr_caches, &stats); nr_caches++)
		for (unsigned stat = 0; stat < NR_KEPT_STATS; stat++)
			sums[stat] += stats.stat[stat];
	CHECK(nr_caches >= 2 + 2 * NR_KMALLOC_CLASSES, "%u caches", nr_caches);
	for (unsigned stat = 0; stat < NR_KEPT_STATS; stat++)
		CHECK(slab_stat_total((enum slab_stat)stat) == sums[stat],
			"%s: %lu in total, %lu in caches", slab_stat_name((enum slab_stat)stat),
			slab_stat_total((enum slab_stat)stat), sums[stat]);
}
