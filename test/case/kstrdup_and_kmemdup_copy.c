#include <dolmen/init.h>

#include "lib/string.h"
#include "test/slab_tools.h"

CONTRACT("kstrdup and kmemdup copy to the last byte, and give NULL when memory is short",
	"kstrdup leaves no room for the end of the string")
{
	static char text[40001];

	CHECK(!kstrdup(NULL, GFP_KERNEL), "a copy of no string");
	for (size_t length = 0; length <= 40000; length = length * 2 + 1) {
		memset(text, 'a' + (int)(length % 26), length);
		text[length] = 0;
		/* Dirty memory of that class first: a missing end shows. */
		char *dirty = kmalloc_var(length + 1, GFP_KERNEL);
		memset(dirty, 'z', ksize(dirty));
		kfree(dirty);
		char *copy = kstrdup(text, GFP_KERNEL),
		     *bytes = kmemdup(text, length + 1, GFP_KERNEL);
		CHECK(copy && copy != text && !strcmp(copy, text), "a string of %zu", length);
		CHECK(ksize(copy) > length, "a string of %zu in %zu bytes", length, ksize(copy));
		CHECK(bytes && !memcmp(bytes, text, length + 1), "%zu bytes", length + 1);
		kfree(copy);
		kfree(bytes);
	}
	dolmen_fail_pages(0, UINT64_MAX);
	CHECK(!kstrdup(text, GFP_KERNEL | __GFP_NOWARN) &&
			!kmemdup(text, 40000, GFP_KERNEL | __GFP_NOWARN),
		"copied into nothing");
	dolmen_fail_pages(0, 0);
}
