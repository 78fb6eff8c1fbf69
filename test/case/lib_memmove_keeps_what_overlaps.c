#include "lib/string.h"
#include "test/contract.h"

#define AREA_BYTES 300
#define MAX_BYTES  130 /* past where loops end and `rep` begins */

static unsigned char area[AREA_BYTES], wanted[AREA_BYTES], copy[MAX_BYTES];

CONTRACT("memmove, memcpy and memset write exactly their bytes, at any offset and overlap",
	"copy_up reads the last word after the bulk")
{
	for (unsigned round = 0; round < 3000; round++) {
		unsigned size = test_random() % (MAX_BYTES + 1);
		unsigned from = test_random() % (AREA_BYTES - MAX_BYTES);
		/* Close together as often as not. */
		unsigned to = test_random() % 2
				      ? test_random() % (AREA_BYTES - MAX_BYTES)
				      : (from + test_random() % 20) % (AREA_BYTES - MAX_BYTES);

		for (unsigned i = 0; i < AREA_BYTES; i++)
			area[i] = wanted[i] = (unsigned char)test_random();
		for (unsigned i = 0; i < size; i++)
			copy[i] = area[from + i];
		for (unsigned i = 0; i < size; i++)
			wanted[to + i] = copy[i];
		memmove(area + to, area + from, size);
		CHECK(!memcmp(area, wanted, AREA_BYTES), "memmove of %u from %u to %u", size, from,
			to);

		for (unsigned i = 0; i < size; i++)
			wanted[from + i] = copy[i];
		memcpy(area + from, copy, size);
		CHECK(!memcmp(area, wanted, AREA_BYTES), "memcpy of %u to %u", size, from);

		for (unsigned i = 0; i < size; i++)
			wanted[to + i] = 0xa5;
		memset(area + to, 0xa5, size);
		CHECK(!memcmp(area, wanted, AREA_BYTES), "memset of %u at %u", size, to);
	}
}
