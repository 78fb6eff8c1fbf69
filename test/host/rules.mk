# Programs for Linux that test and measure. Included by the Makefile, which has the library and its contracts.

SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined
FIRMWARE_C := $(wildcard test/host/firmware*.c) $(addprefix mm/,acpi.c srat.c slit.c madt.c range.c) \
	lib/sort.c boot/efi_map.c boot/e820.c

$(eval $(call hosted,-clang,clang,-O2 $(HOSTED)))
$(eval $(call hosted,-asan,clang,$(SANITIZE) $(HOSTED)))
$(eval $(call hosted,-tsan,clang,-O1 -fsanitize=thread $(HOSTED)))
$(eval $(call program,machines,clang,$(SANITIZE) $(HOSTED),test/host/machines.c,$B/host/libdolmen-asan.a))
$(eval $(call program,misuse,clang,$(SANITIZE) $(HOSTED),test/host/misuse.c,$B/host/libdolmen-asan.a))
$(eval $(call program,firmware,clang,$(SANITIZE) $(HOSTED),$(FIRMWARE_C),-ljansson))
# As another program would: the public headers alone.
$(eval $(call program,library,gcc,-O2 $(filter-out -I.,$(HOSTED)),test/host/library.c,$B/host/libdolmen.a))

test: $(addprefix $B/host/,contracts contracts-clang contracts-asan contracts-tsan machines misuse firmware library)
