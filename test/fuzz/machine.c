/*
 * See machine.h. 24 MiB, which a run can use up without spending its time on zeroing large blocks:
 * two nodes with memory, CPUs on both, and a third node with a CPU alone.
 */
#include "test/fuzz/machine.h"

#include "mm/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned nr_reports;
static bool verbose;

void port_log(const char *line)
{
	if (!strncmp(line, "slab: free of", 13) || !strncmp(line, "slab: double free", 17) ||
		!strncmp(line, "page_alloc: wrong free", 22))
		nr_reports++;
	if (verbose)
		fprintf(stderr, "# %s\n", line);
}

void port_panic(const char *line)
{
	fprintf(stderr, "panic: %s\n", line);
	abort();
}

unsigned machine_reports(void)
{
	port_store(&report_count, (uint64_t)0); /* none is left out as one of a flood */
	return nr_reports;
}

void machine_boot(int argc, char **argv)
{
	const struct hosted_shape shape = {
		.nr_cpus = MACHINE_CPUS,
		.nr_nodes = 2,
		.memoryless = true,
		.size_bytes = 24ul << 20,
	};

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--no-cx16"))
			hosted_cas16 = false;
		if (!strcmp(argv[i], "--verbose"))
			verbose = true;
	}
	if (!hosted_start_shape(&shape))
		hosted_die("dolmen_init failed");
	for (unsigned cpu = 0; cpu < MACHINE_CPUS; cpu++) {
		hosted_become_cpu(cpu);
		dolmen_cpu_online(cpu);
	}
	hosted_become_cpu(0);
}
