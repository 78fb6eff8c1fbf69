/*
 * Self-test: on each CPU one object of every size class is taken, filled with a pattern of its own,
 * checked when all are out, and freed; a page of each zone comes and goes.
 */
#include "kernel/selftest.h"

#include <dolmen/page.h>
#include <dolmen/port.h>
#include <dolmen/slab.h>
#include "kernel/smp.h"
#include "lib/string.h"
#include "mm/log.h"

static uint32_t nr_failed; /* added to by each CPU */

static void fail(const char *what, size_t size_bytes)
{
	port_fetch_add(&nr_failed, 1u);
	mm_log("selftest: CPU %u: %s, %lu bytes", port_cpu(), what, size_bytes);
}

static bool filled_with(const unsigned char *bytes, size_t size_bytes, unsigned char value)
{
	for (size_t i = 0; i < size_bytes; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

static void check_classes(void)
{
	void *objects[NR_KMALLOC_CLASSES];
	size_t sizes[NR_KMALLOC_CLASSES], size_bytes = 1;

	for (unsigned i = 0; i < NR_KMALLOC_CLASSES; i++) {
		sizes[i] = kmalloc_size_roundup(size_bytes);
		size_bytes = sizes[i] + 1;
		objects[i] = kmalloc(sizes[i], GFP_KERNEL);
		if (!objects[i])
			fail("no object", sizes[i]);
		else
			memset(objects[i], (int)(i + port_cpu()) & 0xff, sizes[i]);
	}
	for (unsigned i = 0; i < NR_KMALLOC_CLASSES; i++) {
		if (objects[i] &&
			!filled_with(objects[i], sizes[i], (unsigned char)(i + port_cpu())))
			fail("an object lost its contents", sizes[i]);
		kfree(objects[i]);
	}
}

static void check_cpu(void *unused)
{
	(void)unused;
	check_classes();
	for (unsigned zone = 0; zone < 2; zone++) {
		struct page *page = alloc_pages(zone ? GFP_DMA32 : GFP_KERNEL, 0);

		if (!page)
			fail(zone ? "no page below 4 GiB" : "no page", PAGE_SIZE);
		else
			__free_pages(page, 0);
	}
}

bool selftest_run(void)
{
	for (unsigned cpu = 0; cpu < smp_nr_cpus(); cpu++)
		smp_call(cpu, check_cpu, NULL);
	return port_load(&nr_failed) == 0;
}
