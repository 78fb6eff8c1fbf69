# Dolmen: one set of objects, two images, and the same allocator as a Linux program for tests. `make help` lists targets.

B := build
ifeq ($(origin CC),default)
CC := gcc
endif
MAKEFLAGS += --no-builtin-rules --no-print-directory
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(or $(DOLMEN_JOBS),$(shell nproc))
endif
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# What is missing is installed first, and said. Nothing missing costs some milliseconds.
ifneq ($(filter-out help clean gdb,$(or $(MAKECMDGOALS),all)),)
ifneq ($(shell tools/install >&2 && echo ready),ready)
$(error packages are missing, see above)
endif
endif

# ---- flags ----

OPTIONS := $(foreach option,DOLMEN_SLUB_STATS DOLMEN_PAUSES DOLMEN_NO_WINDOWS,$(if $($(option)),-D$(option)=$($(option))))
COMMON := -std=gnu11 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-fno-omit-frame-pointer -I. -Iinclude $(OPTIONS)
BARE := -O2 $(COMMON) -ffreestanding -mno-red-zone -mgeneral-regs-only -fshort-wchar -fno-stack-protector \
	-fcf-protection=none -fno-asynchronous-unwind-tables -fno-strict-aliasing
EFI_INCLUDES := -isystem /usr/include/efi -isystem /usr/include/efi/x86_64 -DGNU_EFI_USE_MS_ABI
GUEST := $(BARE) -Iarch/x86_64/port -fpie $(if $(shell $(CC) --version | grep clang),,-fno-tree-loop-distribute-patterns)
HOSTED := $(COMMON) -Iarch/hosted/port -pthread -D_GNU_SOURCE -fno-strict-aliasing

EFI_CRT := $(firstword $(wildcard /usr/lib/crt0-efi-x86_64.o /usr/lib/gnuefi/crt0-efi-x86_64.o))
LINK := ld -nostdlib -z norelro -z noexecstack -z max-page-size=4096
LINK_EFI := $(LINK) -pie --no-dynamic-linker -Bsymbolic -T linker.ld $(EFI_CRT)
LINK_PVH := $(LINK) -static -T boot/pvh.ld
EFI_SECTIONS := .text .rodata .rela.dyn .dynsym .dynstr .hash .reloc .data .dynamic .bss

# ---- sources ----

GUEST_C := $(wildcard boot/*.c arch/x86_64/*.c kernel/*.c mm/*.c lib/*.c bench/*.c test/case/*.c test/runner.c)
GUEST_ASM := $(wildcard boot/*.asm arch/x86_64/*.asm)
GUEST_O := $(GUEST_C:%.c=$B/guest/%.o) $(GUEST_ASM:%.asm=$B/guest/%.asm.o)
# What only one image has: each loader's entry.
EFI_O := $B/guest/boot/efi.o
PVH_O := $B/guest/boot/pvh.o $B/guest/boot/pvh_entry.asm.o
LIBRARY_C := $(file <mm/sources) $(wildcard arch/hosted/*.c)
CONTRACTS_C := test/runner.c $(wildcard test/host/contracts/*.c) $(filter-out test/case/hw_%,$(wildcard test/case/*.c))

say = @printf '  %-7s %s\n'

# ---- the two images ----

all: $B/dolmen.efi $B/dolmen.elf ## build both images, build/dolmen.efi and build/dolmen.elf; CC=clang works too

$B/guest/%.o: %.c $B/guest.flags
	$(say) CC $<
	@mkdir -p $(@D)
	@$(CC) $(GUEST) -MMD -MP -c $< -o $@

# gnu-efi's headers, and a firmware that speaks the Microsoft calling convention
$B/guest/boot/efi.o: GUEST += $(EFI_INCLUDES)

$B/guest/%.asm.o: %.asm $B/guest.flags
	$(say) NASM $<
	@mkdir -p $(@D)
	@nasm -f elf64 -g -F dwarf -MD $(@:.o=.d) -o $@ $<

# An image is linked twice: with an empty symbol table, then with the one that the first link gives.
$B/none.symbols.asm: tools/symbols.sh
	@mkdir -p $(@D)
	@sh tools/symbols.sh </dev/null >$@

$B/%.symbols.asm: $B/%.first tools/symbols.sh
	@nm -n $< | sh tools/symbols.sh >$@

$B/%.symbols.o: $B/%.symbols.asm
	@nasm -f elf64 -o $@ $<

$B/efi.first $B/dolmen.efi.elf: $B/%: linker.ld $(filter-out $(PVH_O),$(GUEST_O))
	$(say) LD $@
	@$(LINK_EFI) -o $@ $(filter %.o,$^) -L/usr/lib -l:libgnuefi.a

$B/pvh.first $B/dolmen.elf: $B/%: boot/pvh.ld $(filter-out $(EFI_O),$(GUEST_O))
	$(say) LD $@
	@$(LINK_PVH) -o $@ $(filter %.o,$^)

$B/efi.first $B/pvh.first: $B/none.symbols.o
$B/dolmen.efi.elf: $B/efi.symbols.o
$B/dolmen.elf: $B/pvh.symbols.o

$B/%.efi: $B/%.efi.elf
	$(say) OBJCOPY $@
	@objcopy $(EFI_SECTIONS:%=-j %) --target=efi-app-x86_64 --subsystem=10 $< $@

image: $B/dolmen.img ## write build/dolmen.img, a disk image that a PC boots from a USB stick
$B/dolmen.img: $B/dolmen.efi tools/image
	$(say) IMAGE $@
	@tools/image $< $@

# ---- programs for Linux ----

# objects <name>, <compiler>, <flags>, <sources>: those of the sources in build/host/<name>.o
define objects
$B/host/$1.o/%.o: %.c $B/host/$1.flags
	$(say) CC "$$< ($1)"
	@mkdir -p $$(@D)
	@$2 $3 -MMD -MP -c $$< -o $$@
$B/host/$1.flags: TEXT := $2 $3
DEPS += $(4:%.c=$B/host/$1.o/%.d)
endef

# program <name>, <compiler>, <flags>, <sources>, <libraries>: build/host/<name>
define program
$(call objects,$1,$2,$3,$4)
$B/host/$1: $(4:%.c=$B/host/$1.o/%.o) $(filter %.a,$5)
	$(say) LD $$@
	@$2 $3 -o $$@ $$^ $(filter -l%,$5)
endef

# hosted <suffix>, <compiler>, <flags>: the library, and the contracts linked against it
define hosted
$(call objects,libdolmen$1,$2,$3,$(LIBRARY_C))
$B/host/libdolmen$1.a: $(LIBRARY_C:%.c=$B/host/libdolmen$1.o/%.o)
	$(say) AR $$@
	@rm -f $$@
	@ar rcs $$@ $$^
$(call program,contracts$1,$2,$3,$(CONTRACTS_C),$B/host/libdolmen$1.a)
endef
$(eval $(call hosted,,gcc,-O2 $(HOSTED)))

hosted: $B/host/contracts ## build build/host/libdolmen.a, the library on Linux, and run the contracts against it
	$B/host/contracts

# ---- what test/ and bench/ add ----

-include test/*/rules.mk bench/rules.mk tools/shapes.mk

# ---- rebuild when flags change ----

$B/guest.flags: TEXT := $(CC) $(GUEST)
%.flags: FORCE
	@mkdir -p $(@D)
	@echo '$(TEXT)' | cmp -s - $@ || echo '$(TEXT)' >$@
.SECONDARY:
FORCE:

# ---- running and testing ----

run: $B/dolmen.efi ## boot in QEMU, 4 CPUs and 2 nodes: show the machine, a demonstration, then a console
	./run-qemu.sh --nodes 2 $(QEMU_OPTIONS) -- "cpus; numa; mem; demo; slabinfo; console"

gdb: ## say how to debug the kernel with gdb
	@echo "In one terminal:   ./run-qemu.sh --pvh --gdb"
	@echo "In another:        gdb -ex 'target remote :1234' -ex 'hbreak kmain' -ex continue $B/dolmen.elf"

test: $B/dolmen.efi $B/dolmen.elf $B/dolmen.img ## run every test: boots, hosted contracts, firmware tables, make check
	@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL test/all

check: ## format, cppcheck, arrows between folders, symbols, style limits
	@tools/check

reference: ## write docs/api.md from the comments of the public headers
	@tools/reference >docs/api.md

clean: ## remove build/
	rm -rf $B

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(filter Makefile %.mk,$(MAKEFILE_LIST)) | expand -t 18

.PHONY: all image hosted run gdb test check reference clean help FORCE
-include $(GUEST_O:.o=.d) $(DEPS)
