# Kernels of others with the library in them. Included by the Makefile.
#
# What all hosts on the small kernel share: that kernel, the library, its contracts, and the way from GRUB to both.

SMALL := $(BARE) -Itest/embed/multiboot2 -fno-pic
SMALL_CXX := $(filter-out -std=% -Wstrict-prototypes -Wmissing-prototypes,$(SMALL)) -std=c++17 -fno-exceptions -fno-rtti
# core and alloc come compiled, with a red zone: interrupts must not run on the stack that they land on.
SMALL_RUST := --edition 2021 --crate-type staticlib -O -C panic=abort -C relocation-model=static -C no-redzone=yes
CONTRACTS_EMBED := test/runner.c $(filter-out test/case/hw_%,$(wildcard test/case/*.c)) test/embed/check.c lib/string.c
SMALL_C := $(file <mm/sources) lib/memory.c $(CONTRACTS_EMBED) $(wildcard test/embed/small/*.c) test/embed/multiboot2/glue.c
SMALL_O := $(SMALL_C:%.c=$B/host/small.o/%.o) $B/host/small.o/start.o
SMALL_HOSTS := multiboot2 cxx rust unikernel
HOST_C := $(foreach host,$(SMALL_HOSTS),$(wildcard test/embed/$(host)/*.c))

$(eval $(call objects,small,gcc,$(SMALL),$(sort $(SMALL_C) $(HOST_C))))

$B/host/small.o/start.o: test/embed/small/start.asm
	$(say) NASM $<
	@mkdir -p $(@D)
	@nasm -f elf64 -o $@ $<

$B/host/small.o/%.o: %.cc $B/host/small.flags
	$(say) CXX $<
	@mkdir -p $(@D)
	@g++ $(SMALL_CXX) -MMD -MP -c $< -o $@

$B/embed/rust.a: test/embed/rust/main.rs
	$(say) RUSTC $<
	@mkdir -p $(@D)
	@case $$(rustc --version) in \
	"rustc 1."[1-5]?.* | "rustc 1.6"[0-7].*) export RUSTC_BOOTSTRAP=1; old="--cfg rustc_before_1_68" ;; \
	esac; env -u MAKEFLAGS -u MFLAGS rustc $(SMALL_RUST) $$old -o $@ $<

host_objects = $(patsubst %,$B/host/small.o/%.o,$(basename $(wildcard test/embed/$1/*.c test/embed/$1/*.cc)))
$(foreach host,$(SMALL_HOSTS),$(eval $B/embed/$(host): $(call host_objects,$(host))))
$B/embed/rust: $B/embed/rust.a
$(SMALL_HOSTS:%=$B/embed/%): test/embed/small/small.ld $(SMALL_O)
	$(say) LD $@
	@mkdir -p $(@D)
	@ld -nostdlib -static --gc-sections --no-warn-rwx-segments -z noexecstack -z max-page-size=4096 -T $< -o $@ \
		$(sort $(filter %.o,$^)) $(filter %.a,$^)

# What GRUB starts, from a BIOS and from UEFI.
$B/embed/%.iso: $B/embed/% test/embed/iso
	$(say) ISO $@
	@test/embed/iso $< $@

# A UEFI application has neither the small kernel nor GRUB; its port is two words, and no header.
EMBED_EFI := $(BARE) -DPORT_ONE_CPU -DPORT_DIRECT_BASE=0 -fpie $(EFI_INCLUDES)
EMBED_EFI_C := $(file <mm/sources) lib/memory.c $(CONTRACTS_EMBED) test/embed/efi/main.c
$(eval $(call objects,embed-efi,gcc,$(EMBED_EFI),$(EMBED_EFI_C)))

$B/embed/efi.efi.elf: linker.ld $(EMBED_EFI_C:%.c=$B/host/embed-efi.o/%.o)
	$(say) LD $@
	@mkdir -p $(@D)
	@$(LINK_EFI) -o $@ $(filter %.o,$^) -L/usr/lib -l:libgnuefi.a

embed: $B/embed/efi.efi $(SMALL_HOSTS:%=$B/embed/%.iso)
test: embed

test-embed: embed ## boot each kernel of test/embed, with the library and its contracts in it
	@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL test/all embed-

DEPS += $B/host/small.o/test/embed/cxx/main.d

.PHONY: embed test-embed
