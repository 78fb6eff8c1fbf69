/*
 * The commands that set the limits of caches: knobs, exact.
 */
#include "kernel/console.h"

#include <dolmen/init.h>
#include "lib/string.h"
#include "mm/slab.h"

#define HIGHEST 1000000 /* what may be typed; each limit clamps further */

static const char *const names[NR_CACHE_KNOBS] = {
	[KNOB_CPU_SLABS] = "cpu_slabs",
	[KNOB_MIN_PARTIAL] = "min_partial",
	[KNOB_MAX_PARTIAL] = "max_partial",
	[KNOB_REMOTE_RATIO] = "remote_ratio",
	[KNOB_SHEAF] = "sheaf",
	[KNOB_BARN] = "barn",
};

struct wanted {
	const char *cache; /* NULL: all */
	int knob;	   /* to set, -1: none */
	unsigned value;
	unsigned nr_caches; /* seen */
};

static void visit(struct kmem_cache *cache, void *arg)
{
	struct wanted *wanted = arg;

	if (!console_means_cache(wanted->cache, cache->kc_name))
		return;
	wanted->nr_caches++;
	if (wanted->knob >= 0)
		cache_set_knob(cache, (enum cache_knob)wanted->knob, wanted->value);
	console_print("%-20s", cache->kc_name);
	for (unsigned knob = 0; knob < NR_CACHE_KNOBS; knob++)
		console_print(" %12u", cache_knob(cache, knob));
	console_print("\n");
}

static int knob_named(const char *name)
{
	for (int knob = 0; knob < NR_CACHE_KNOBS; knob++)
		if (!strcmp(names[knob], name))
			return knob;
	console_print("no limit is called %s\n", name);
	return -1;
}

bool cmd_knobs(unsigned nr_words, char **words)
{
	struct wanted wanted = {.cache = words[1], .knob = -1};
	uint64_t value;

	if (nr_words == 3 || nr_words > 4)
		return console_usage(words[0]);
	if (nr_words == 4) {
		wanted.knob = knob_named(words[2]);
		if (wanted.knob < 0 || !console_number(words[3], HIGHEST, &value))
			return false;
		wanted.value = (unsigned)value;
	}
	console_print("%-20s", "cache");
	for (unsigned knob = 0; knob < NR_CACHE_KNOBS; knob++)
		console_print(" %12s", names[knob]);
	console_print("\n");
	for (unsigned n = 0; cache_visit(n, visit, &wanted); n++)
		;
	if (!wanted.nr_caches)
		console_print("no cache has %s in its name\n", wanted.cache);
	return wanted.nr_caches;
}

bool cmd_exact(unsigned nr_words, char **words)
{
	bool on = nr_words == 2 && !strcmp(words[1], "on");

	if (!on && (nr_words != 2 || strcmp(words[1], "off") != 0))
		return console_usage(words[0]);
	dolmen_exact(on);
	console_print(on ? "each wrong free is found at the free itself, at some cost\n"
			 : "caches have their sheaves again\n");
	return true;
}
