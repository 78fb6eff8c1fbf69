/*
 * (f) A unikernel, which knows its allocator by a table of functions alone: what each must do.
 */
#include "test/embed/unikernel/uk_alloc.h"

#include "lib/memory.h"
#include "test/port_check.h"
#include "test/embed/multiboot2/glue.h"
#include "test/embed/small/small.h"

#define UK_PAGE	   4096
#define MOST_BYTES 200000

static bool holds(const unsigned char *bytes, size_t size_bytes, unsigned char value)
{
	for (size_t i = 0; i < size_bytes; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

static bool calloc_zeroes(struct uk_alloc *a)
{
	for (size_t size = 1; size < MOST_BYTES; size += size / 2 + 1) {
		unsigned char *dirty = a->malloc(a, size);

		if (!dirty)
			return false;
		memset(dirty, 0xa5, size);
		a->free(a, dirty);
		unsigned char *clean = a->calloc(a, 1, size);

		if (!clean || !holds(clean, size, 0))
			return false;
		a->free(a, clean);
	}
	return !a->calloc(a, SIZE_MAX / 2, 3) && !a->calloc(a, SIZE_MAX, SIZE_MAX);
}

static bool realloc_keeps(struct uk_alloc *a)
{
	unsigned char *block = a->realloc(a, NULL, 1);
	size_t had = 1;

	if (!block)
		return false;
	block[0] = 7;
	for (size_t size = 2; size < MOST_BYTES; had = size, size += size / 2) {
		block = a->realloc(a, block, size);
		if (!block || !holds(block, had, 7))
			return false;
		memset(block, 7, size);
	}
	unsigned char *same = a->realloc(a, block, SIZE_MAX / 2);

	if (same || !holds(block, had, 7))
		return false;
	block = a->realloc(a, block, 3);
	same = block;
	bool good = block && holds(block, 3, 7);

	a->free(a, a->realloc(a, same, 0));
	return good;
}

static bool memalign_aligns(struct uk_alloc *a)
{
	void *untouched = a, *block = untouched;

	for (size_t align = 8; align <= 1 << 16; align *= 2)
		for (size_t size = 1; size < 3 * align; size += align / 2 + 1) {
			if (a->posix_memalign(a, &block, align, size) || (uintptr_t)block % align)
				return false;
			memset(block, 1, size);
			a->free(a, block);
			block = a->memalign(a, align, size);
			if (!block || (uintptr_t)block % align)
				return false;
			a->free(a, block);
		}
	block = untouched;
	return a->posix_memalign(a, &block, 24, 8) == UK_EINVAL &&
	       a->posix_memalign(a, &block, 2, 8) == UK_EINVAL &&
	       a->posix_memalign(a, &block, 64, SIZE_MAX / 2) == UK_ENOMEM && block == untouched;
}

static bool pages_come_and_go(struct uk_alloc *a)
{
	size_t before = a->availmem(a);

	for (size_t nr = 1; nr <= 1000; nr += nr / 3 + 1) {
		void *pages = a->palloc(a, nr);

		if (!pages || (uintptr_t)pages % UK_PAGE || a->availmem(a) != before - nr * UK_PAGE)
			return false;
		memset(pages, 1, nr * UK_PAGE);
		a->pfree(a, pages, nr);
	}
	return !a->palloc(a, SIZE_MAX) && !a->palloc(a, SIZE_MAX / UK_PAGE + 2) &&
	       a->availmem(a) == before;
}

/*
 * The CPUs are up: nobody needs the page any more that they started from. The page at NULL is
 * nobody's.
 */
static bool memory_is_added(struct uk_alloc *a)
{
	size_t before = a->availmem(a);
	void *page = (void *)SMALL_TRAMPOLINE;

	return !a->addmem(a, page, UK_PAGE) && a->availmem(a) == before + UK_PAGE &&
	       a->addmem(a, page, UK_PAGE) == UK_ENOMEM &&
	       a->addmem(a, NULL, UK_PAGE) == UK_ENOMEM && a->availmem(a) == before + UK_PAGE;
}

static bool limits_are_told(struct uk_alloc *a)
{
	void *most = a->malloc(a, a->maxalloc(a)), *more = a->malloc(a, a->maxalloc(a) + 1);

	a->free(a, most);
	a->free(a, NULL);
	return most && !more;
}

static struct uk_alloc *shared;

static void grind(void *nr_bad)
{
	for (unsigned n = 0; n < 1000; n++) {
		size_t size = n * 977ul % 5000;
		unsigned char *block = shared->malloc(shared, size);

		if (!block) {
			__atomic_fetch_add((unsigned *)nr_bad, 1, __ATOMIC_RELAXED);
			continue;
		}
		memset(block, (int)(n & 0xff), size);
		if (!holds(block, size, (unsigned char)n))
			__atomic_fetch_add((unsigned *)nr_bad, 1, __ATOMIC_RELAXED);
		shared->free(shared, block);
	}
}

bool small_main(const void *info)
{
	unsigned nr_bad = 0;

	if (!glue_start(info))
		return false;
	shared = uk_alloc_dolmen();
	port_check_expect(calloc_zeroes(shared), "calloc zeroes, and sees an overflow");
	port_check_expect(
		realloc_keeps(shared), "realloc keeps what was there, also when it fails");
	port_check_expect(memalign_aligns(shared), "memalign aligns, and tells what is wrong");
	port_check_expect(pages_come_and_go(shared), "pages come in any number, and all go back");
	port_check_expect(memory_is_added(shared), "memory is added once");
	port_check_expect(
		limits_are_told(shared), "the largest request is what is told, and no more");
	port_check_run_on_all(grind, &nr_bad);
	port_check_expect(!nr_bad, "all CPUs use it at once");
	return port_check();
}
