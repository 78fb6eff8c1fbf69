#include "lib/printf.h"
#include "lib/string.h"
#include "test/contract.h"

static void check_bytes(uint64_t bytes, const char *wanted)
{
	char text[16];

	format_bytes(text, sizeof(text), bytes);
	CHECK(!strcmp(text, wanted), "%lu is %s, not %s", bytes, text, wanted);
}

CONTRACT("text that does not fit is cut at the buffer's end, and its whole length returned",
	"format_args ends the text at its whole length")
{
	char text[64];

	for (unsigned size = 0; size < 12; size++) {
		memset(text, '#', sizeof(text));
		size_t length = format_text(text, size, "%s-%04x", "abc", 0x1fu);
		CHECK(length == 8, "length %zu", length);
		CHECK(text[size] == '#', "written past %u bytes", size);
		if (size) {
			unsigned kept = size > 8 ? 8 : size - 1;

			CHECK(!text[kept] && !memcmp(text, "abc-001f", kept), "%u bytes: %s", size,
				text);
		}
	}
	format_text(text, sizeof(text), "%d|%5u|%-4d|%.2s|%lx|%c%%|%*d", -7, 42u, -42, "xyz", ~0ul,
		'c', 4, 9);
	CHECK(!strcmp(text, "-7|   42|-42 |xy|ffffffffffffffff|c%|   9"), "%s", text);

	check_bytes(0, "0 B");
	check_bytes(1023, "1023 B");
	check_bytes(1536, "1.5 KiB");
	check_bytes((1 << 20) - 1, "1.0 MiB");
	check_bytes(64ul << 20, "64.0 MiB");
	check_bytes(UINT64_MAX, "16.0 EiB");
}
