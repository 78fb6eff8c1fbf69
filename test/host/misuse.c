/*
 * misuse [--no-cx16] NAME: uses memory that is not its own, as AddressSanitizer must find. A misuse
 * that goes unseen ends with status 0; "nothing" is no misuse, and must. --list prints the names.
 */
#include "arch/hosted/hosted.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dolmen/page.h>
#include <dolmen/slab.h>

void port_log(const char *line)
{
	fprintf(stderr, "# %s\n", line);
}

void port_panic(const char *line)
{
	fprintf(stderr, "# panic: %s\n", line);
	abort();
}

static char read_byte(const void *address)
{
	return *(const volatile char *)address;
}

static void write_byte(void *address)
{
	*(volatile char *)address = 1;
}

/* ---- the misuses ---- */

/* Twice, since what was never free is not poisoned. */
static void nothing(void)
{
	for (unsigned i = 0; i < 2; i++) {
		char *object = kmalloc(64, GFP_KERNEL), *block = kmalloc(100000, GFP_KERNEL);
		char *page = __get_free_pages(GFP_KERNEL, 0);

		memset(object, 1, ksize(object));
		memset(block, 1, ksize(block));
		memset(page, 1, PAGE_SIZE);
		free_pages(page, 0);
		kfree(block);
		kfree(object);
	}
}

static void read_of_a_freed_object(void)
{
	char *object = kmalloc(64, GFP_KERNEL);

	kfree(object);
	read_byte(object);
}

static void write_to_a_freed_object(void)
{
	char *object = kmalloc(64, GFP_KERNEL);

	kfree(object);
	write_byte(object + 63);
}

/* The sheaf is open by then: nothing but it has the object. */
static void read_of_an_object_freed_into_a_sheaf(void)
{
	char *first = kmalloc(64, GFP_KERNEL), *second = kmalloc(64, GFP_KERNEL);

	kfree(first);
	kfree(second);
	read_byte(second + 1);
}

/* More objects than the window of a slab has bits. */
static void write_to_a_freed_object_outside_the_window(void)
{
	char *objects[256];

	for (unsigned i = 0; i < 256; i++)
		objects[i] = kmalloc(8, GFP_KERNEL);
	kfree(objects[0]);
	write_byte(objects[0]);
}

/* The first free of a full slab moves the slab too. */
static void read_of_the_first_object_freed_of_a_full_slab(void)
{
	struct kmem_cache *cache = kmem_cache_create("misuse", 512, 0, 0, NULL);
	char *objects[8];

	for (unsigned i = 0; i < 8; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	kmem_cache_free(cache, objects[3]);
	read_byte(objects[3] + 100);
}

static void *free_on_cpu_1(void *object)
{
	hosted_enter(1);
	kfree(object);
	return NULL;
}

static void read_of_an_object_that_another_cpu_freed(void)
{
	char *object = kmalloc(64, GFP_KERNEL);
	pthread_t thread;

	if (pthread_create(&thread, NULL, free_on_cpu_1, object))
		hosted_die("cannot start a thread");
	pthread_join(thread, NULL);
	read_byte(object);
}

static void write_to_an_object_that_krealloc_moved(void)
{
	char *object = kmalloc(64, GFP_KERNEL);

	kfree(krealloc(object, 1000, GFP_KERNEL));
	write_byte(object);
}

static void read_past_the_end_into_a_free_neighbour(void)
{
	char *object = kmalloc(64, GFP_KERNEL);

	read_byte(object + 64);
}

static void write_past_the_end_into_a_free_neighbour(void)
{
	char *object = kmalloc(64, GFP_KERNEL);

	write_byte(object + 64);
}

static void read_of_an_object_whose_slab_was_given_back(void)
{
	struct kmem_cache *cache = kmem_cache_create("misuse", 64, 0, 0, NULL);
	char *object = kmem_cache_alloc(cache, GFP_KERNEL);

	kmem_cache_free(cache, object);
	kmem_cache_destroy(cache);
	read_byte(object);
}

static void write_to_a_freed_large_block(void)
{
	char *block = kmalloc(100000, GFP_KERNEL);

	kfree(block);
	write_byte(block + 99999);
}

static void read_of_a_freed_page(void)
{
	char *page = __get_free_pages(GFP_KERNEL, 0);

	free_pages(page, 0);
	read_byte(page);
}

static void write_past_an_exact_run_of_pages(void)
{
	char *run = alloc_pages_exact(3 * PAGE_SIZE, GFP_KERNEL);

	write_byte(run + 3 * PAGE_SIZE);
}

#define MISUSE(name)                                                                               \
	{                                                                                          \
#name, name                                                                        \
	}

static const struct {
	const char *name;
	void (*run)(void);
} misuses[] = {
	MISUSE(nothing),
	MISUSE(read_of_a_freed_object),
	MISUSE(read_of_an_object_freed_into_a_sheaf),
	MISUSE(write_to_a_freed_object),
	MISUSE(write_to_a_freed_object_outside_the_window),
	MISUSE(read_of_the_first_object_freed_of_a_full_slab),
	MISUSE(read_of_an_object_that_another_cpu_freed),
	MISUSE(write_to_an_object_that_krealloc_moved),
	MISUSE(read_past_the_end_into_a_free_neighbour),
	MISUSE(write_past_the_end_into_a_free_neighbour),
	MISUSE(read_of_an_object_whose_slab_was_given_back),
	MISUSE(write_to_a_freed_large_block),
	MISUSE(read_of_a_freed_page),
	MISUSE(write_past_an_exact_run_of_pages),
};

#define NR_MISUSES (sizeof(misuses) / sizeof(misuses[0]))

int main(int argc, char **argv)
{
	const struct hosted_shape shape = {.nr_cpus = 2, .nr_nodes = 1, .size_bytes = 64ul << 20};
	const char *name = argc > 1 ? argv[argc - 1] : "";

	if (!strcmp(name, "--list")) {
		for (unsigned i = 0; i < NR_MISUSES; i++)
			puts(misuses[i].name);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "--no-cx16"))
		hosted_cas16 = false;
	if (!hosted_start_shape(&shape))
		hosted_die("it does not start");
	for (unsigned i = 0; i < NR_MISUSES; i++)
		if (!strcmp(name, misuses[i].name)) {
			misuses[i].run();
			return 0;
		}
	hosted_die("usage: misuse [--no-cx16] NAME, or misuse --list");
}
