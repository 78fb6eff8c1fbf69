/*
 * (a) A kernel that GRUB starts, with the default port: areas by CPU number, no direct map.
 */
#include "test/port_check.h"
#include "test/embed/multiboot2/glue.h"
#include "test/embed/small/small.h"

bool small_main(const void *info)
{
	return glue_start(info) && port_check();
}
