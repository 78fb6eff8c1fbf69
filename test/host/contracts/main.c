/*
 * Runs the contracts of test/case as a Linux program: a machine of the shape that the options ask
 * for, then test/runner.c.
 */
#include "test/host/contracts/contracts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/string.h"
#include "test/runner.h"

static const char usage[] =
	"usage: contracts [--cpus N] [--nodes N] [--mem SIZE] [--memoryless] [--cpuless]\n"
	"                 [--sharing N] [--no-cx16] [--exact]\n"
	"                 [--map FILE] [--srat FILE] [--slit FILE] [--madt FILE]\n"
	"                 [--seed S] [--verbose] [--list] [PATTERN]\n"
	"Runs the contracts whose file or sentence contains PATTERN, on 4 CPUs, 2 nodes and 512M.\n"
	"--memoryless adds a node with a CPU and no memory; --cpuless leaves the last node without "
	"CPUs.\n"
	"--sharing 1 or 2: so many CPUs have a last-level cache; otherwise each node has.\n"
	"--map and the tables: the machine that they describe, less of each range and fewer "
	"CPUs.\n";

static bool verbose;

void runner_write(const char *text, size_t length)
{
	while (length) {
		ssize_t written = write(STDOUT_FILENO, text, length);

		if (written <= 0)
			_exit(2);
		text += written;
		length -= (size_t)written;
	}
}

void port_log(const char *line)
{
	runner_note_log(line);
	if (verbose || !runner_active())
		runner_print("# %s", line);
}

void port_panic(const char *line)
{
	runner_print("# panic: %s", line);
	abort();
}

static uint64_t number(const char *option, const char *text, uint64_t min, uint64_t max)
{
	char *end = NULL;
	uint64_t value = text ? strtoull(text, &end, 0) : 0;

	if (text && *end && strchr("kKmMgG", *end))
		value <<= strchr("kK", *end) ? 10 : strchr("mM", *end) ? 20 : 30, end++;
	if (!text || end == text || *end || value < min || value > max)
		hosted_die("%s wants a number from %lu to %lu\n%s", option, min, max, usage);
	return value;
}

/* Where the file's name goes if `option` is one that names a file. */
static const char **file_of(const char *option, struct machine_files *files)
{
	return !strcmp(option, "--map")	   ? &files->map
	       : !strcmp(option, "--srat") ? &files->srat
	       : !strcmp(option, "--slit") ? &files->slit
	       : !strcmp(option, "--madt") ? &files->madt
					   : NULL;
}

static const char *file_name(const char *option, const char *name)
{
	if (!name)
		hosted_die("%s wants a file\n%s", option, usage);
	return name;
}

int main(int argc, char **argv)
{
	struct hosted_shape shape = {.nr_cpus = 4, .nr_nodes = 2, .size_bytes = 512ul << 20};
	struct machine_files files = {0};
	struct dolmen_init init;
	const char *pattern = NULL, **file;
	uint64_t seed = 1;
	bool list = false, exact = false;

	for (int i = 1; i < argc; i++) {
		const char *option = argv[i];

		if (!strcmp(option, "--cpus"))
			shape.nr_cpus = (unsigned)number(option, argv[++i], 1, DOLMEN_MAX_CPUS);
		else if (!strcmp(option, "--nodes"))
			shape.nr_nodes =
				(unsigned)number(option, argv[++i], 1, DOLMEN_MAX_NODES - 1);
		else if (!strcmp(option, "--mem"))
			shape.size_bytes = number(option, argv[++i], 16ul << 20, 1ul << 40);
		else if (!strcmp(option, "--sharing"))
			shape.nr_sharing = (unsigned)number(option, argv[++i], 1, 2);
		else if (!strcmp(option, "--seed"))
			seed = number(option, argv[++i], 0, UINT64_MAX);
		else if ((file = file_of(option, &files)))
			*file = file_name(option, argv[++i]);
		else if (!strcmp(option, "--memoryless"))
			shape.memoryless = true;
		else if (!strcmp(option, "--cpuless"))
			shape.cpuless = true;
		else if (!strcmp(option, "--no-cx16"))
			hosted_cas16 = false;
		else if (!strcmp(option, "--exact"))
			exact = true;
		else if (!strcmp(option, "--verbose"))
			verbose = true;
		else if (!strcmp(option, "--list"))
			list = true;
		else if (option[0] == '-' || pattern)
			hosted_die("%s", usage);
		else
			pattern = option;
	}
	if (shape.cpuless && shape.nr_nodes < 2)
		hosted_die("--cpuless wants 2 nodes or more\n%s", usage);
	if (list) {
		runner_list(pattern);
		return 0;
	}

	if (files.map || files.srat)
		described_machine(&files, &shape, &init);
	else
		hosted_machine(&shape, &init);
	if (!hosted_start(&init))
		hosted_die("dolmen_init failed");
	start_workers(shape.nr_cpus);
	dolmen_exact(exact);
	return runner_run(pattern, seed) ? 1 : 0;
}
