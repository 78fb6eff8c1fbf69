# Kernels of others with the library in them, and what checks the port of any. Included by the Makefile.

CHECK_C := $(file <mm/sources) lib/memory.c lib/string.c test/port_check.c test/runner.c \
	$(filter-out test/case/hw_%,$(wildcard test/case/*.c))

# port_check <name>, <flags>: build/port-check/<name>.o, which defines nothing else than the library does, and port_check*
define port_check
$(call objects,check-$1,gcc,$2,$(CHECK_C))
$B/port-check/$1.o: test/port_check.ld $(CHECK_C:%.c=$B/host/check-$1.o/%.o)
	$(say) LD $$@
	@mkdir -p $$(@D)
	@ld -r -T $$< -o $$@ $$(filter %.o,$$^)
	@objcopy --wildcard --keep-global-symbol='dolmen_*' --keep-global-symbol='port_check*' $$@
endef

ifeq ($(origin PORT),command line)
$(eval $(call port_check,port,$(BARE) -I$(PORT) $(CFLAGS)))
port-check: $B/port-check/port.o
	@echo "$<: link it in place of the library, as docs/port.md says"
else
port-check: ## build what checks the port in PORT=FOLDER from inside its kernel, with CFLAGS="..."
	@echo "make port-check: say PORT=FOLDER, where port_arch.h is, and CFLAGS=\"...\" that the kernel needs" >&2; exit 2
endif

# What all hosts on the small kernel share: that kernel, the library and its contracts, and the way from GRUB to both.

SMALL := $(BARE) -Itest/embed/multiboot2 -fno-pic
SMALL_CXX := $(filter-out -std=% -Wstrict-prototypes -Wmissing-prototypes,$(SMALL)) -std=c++17 -fno-exceptions -fno-rtti
# core and alloc come compiled, with a red zone: interrupts must not run on the stack that they land on.
SMALL_RUST := --edition 2021 --crate-type staticlib -O -C panic=abort -C relocation-model=static -C no-redzone=yes
SMALL_C := $(wildcard test/embed/small/*.c) test/embed/multiboot2/glue.c lib/memory.c
SMALL_O := $(SMALL_C:%.c=$B/host/small.o/%.o) $B/host/small.o/start.o $B/port-check/multiboot2.o
SMALL_HOSTS := multiboot2 cxx rust unikernel
HOST_C := $(foreach host,$(SMALL_HOSTS) loader,$(wildcard test/embed/$(host)/*.c))

$(eval $(call port_check,multiboot2,$(SMALL)))
$(eval $(call objects,small,gcc,$(SMALL),$(sort $(SMALL_C) $(HOST_C))))

$B/host/small.o/start.o: test/embed/small/start.asm
$B/host/small.o/enter.o: test/embed/loader/enter.asm
$B/host/small.o/start.o $B/host/small.o/enter.o:
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

# A kernel for Limine, and what stands for Limine: GRUB's kernel, with that one as its module.
LIMINE := $(BARE) -Itest/embed/limine -fno-pic -mcmodel=kernel
LIMINE_C := test/embed/limine/main.c test/embed/small/small.c test/embed/small/place.c lib/memory.c
LOADER_O := $(patsubst %,$B/host/small.o/%.o,test/embed/loader/main test/embed/small/small test/embed/small/cpus lib/memory)
$(eval $(call port_check,limine,$(LIMINE)))
$(eval $(call objects,limine,gcc,$(LIMINE),$(LIMINE_C)))

$B/embed/limine: test/embed/limine/kernel.ld $(LIMINE_C:%.c=$B/host/limine.o/%.o) $B/port-check/limine.o
$B/embed/loader: test/embed/small/small.ld $(LOADER_O) $B/host/small.o/start.o $B/host/small.o/enter.o

$(patsubst %,$B/embed/%,$(SMALL_HOSTS) limine loader):
	$(say) LD $@
	@mkdir -p $(@D)
	@ld -nostdlib -static --gc-sections --no-warn-rwx-segments -z noexecstack -z max-page-size=4096 \
		-T $(filter %.ld,$^) -o $@ $(sort $(filter %.o,$^)) $(filter %.a,$^)

# What GRUB starts, from a BIOS and from UEFI.
$(foreach host,$(SMALL_HOSTS),$(eval $B/embed/$(host).iso: $B/embed/$(host)))
$B/embed/limine.iso: $B/embed/loader $B/embed/limine
$B/embed/%.iso: test/embed/iso
	$(say) ISO $@
	@test/embed/iso $@ $(filter-out test/embed/iso,$^)

# A UEFI application has neither the small kernel nor GRUB; its port is two words, and no header.
EMBED_EFI := $(BARE) -DPORT_ONE_CPU -DPORT_DIRECT_BASE=0 -fpie $(EFI_INCLUDES)
$(eval $(call port_check,efi,$(EMBED_EFI)))
$(eval $(call objects,embed-efi,gcc,$(EMBED_EFI),test/embed/efi/main.c lib/memory.c))

$B/embed/efi.efi.elf: linker.ld $B/host/embed-efi.o/test/embed/efi/main.o $B/host/embed-efi.o/lib/memory.o $B/port-check/efi.o
	$(say) LD $@
	@mkdir -p $(@D)
	@$(LINK_EFI) -o $@ $(filter %.o,$^) -L/usr/lib -l:libgnuefi.a

embed: $B/embed/efi.efi $(patsubst %,$B/embed/%.iso,$(SMALL_HOSTS) limine)
test: embed

test-embed: embed ## boot each kernel of test/embed, with the library and its contracts in it
	@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL test/all embed-

DEPS += $B/host/small.o/test/embed/cxx/main.d

.PHONY: embed test-embed port-check
