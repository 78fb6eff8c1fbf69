# Kernels of others with the library in them. Included by the Makefile.
#
# small.a is what the hosts on the small kernel share: that kernel, the library, its contracts.

SMALL := -O2 $(COMMON) -Itest/embed/multiboot2 -ffreestanding -fno-pic -mno-red-zone -mgeneral-regs-only \
	-fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables -fno-strict-aliasing
SMALL_C := $(file <mm/sources) lib/memory.c lib/string.c test/runner.c $(filter-out test/case/hw_%,$(wildcard test/case/*.c)) \
	test/embed/check.c test/embed/small/small.c test/embed/small/place.c test/embed/multiboot2/glue.c
SMALL_O := $(SMALL_C:%.c=$B/host/small.o/%.o) $B/host/small.o/start.o
EMBED_HOSTS := multiboot2

$(eval $(call objects,small,gcc,$(SMALL),$(SMALL_C) $(wildcard test/embed/multiboot2/*.c)))

$B/host/small.o/start.o: test/embed/small/start.asm
	$(say) NASM $<
	@mkdir -p $(@D)
	@nasm -f elf64 -o $@ $<

$B/embed/multiboot2: $B/host/small.o/test/embed/multiboot2/main.o
$(EMBED_HOSTS:%=$B/embed/%): $B/embed/%: test/embed/small/small.ld $(SMALL_O)
	$(say) LD $@
	@mkdir -p $(@D)
	@ld -nostdlib --no-warn-rwx-segments -static -z noexecstack -z max-page-size=4096 -T $< -o $@ $(filter %.o,$^)

# What GRUB starts, from a BIOS and from UEFI.
$B/embed/%.iso: $B/embed/% test/embed/iso
	$(say) ISO $@
	@test/embed/iso $< $@

embed: $(EMBED_HOSTS:%=$B/embed/%.iso)
test: embed

test-embed: $B/dolmen.elf embed ## boot each kernel of test/embed with the library in it
	@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL test/all embed-

.PHONY: embed test-embed
