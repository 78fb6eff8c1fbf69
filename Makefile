# Two images from one set of objects: build/dolmen.efi for UEFI, build/dolmen.elf for PVH.

CC ?= gcc
B := build

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CFLAGS := -O2 -g -std=gnu11 -ffreestanding -fpie -fno-omit-frame-pointer -mno-red-zone \
	-mgeneral-regs-only -fshort-wchar -fno-stack-protector -fcf-protection=none \
	-fno-tree-loop-distribute-patterns -fno-asynchronous-unwind-tables -fno-strict-aliasing \
	$(WARN) -I. -Iinclude -Iarch/x86_64/port

# What only one image has: each loader's entry.
EFI_OBJ := $B/x86_64/boot/efi.o
PVH_OBJ := $B/x86_64/boot/pvh.o $B/x86_64/boot/pvh_entry.asm.o

SRC := $(wildcard boot/*.c arch/x86_64/*.c kernel/*.c mm/*.c lib/*.c test/case/*.c bench/*.c)
ASM := $(wildcard boot/*.asm arch/x86_64/*.asm)
OBJ := $(filter-out $(EFI_OBJ) $(PVH_OBJ),$(SRC:%.c=$B/x86_64/%.o) $(ASM:%.asm=$B/x86_64/%.asm.o))

EFI_CRT := $(firstword $(wildcard /usr/lib/crt0-efi-x86_64.o /usr/lib/gnuefi/crt0-efi-x86_64.o))
LINK_EFI = ld -pie --no-dynamic-linker -Bsymbolic -nostdlib -z norelro -z noexecstack -z max-page-size=4096 \
	-T linker.ld $(EFI_CRT)
LINK_PVH = ld -static -nostdlib -z norelro -z noexecstack -z max-page-size=4096 -T boot/pvh.ld

.PHONY: all clean
all: $B/dolmen.efi $B/dolmen.elf

$B/x86_64/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

# gnu-efi's headers, and a firmware that speaks the Microsoft calling convention
$B/x86_64/boot/efi.o: CFLAGS += -isystem /usr/include/efi -isystem /usr/include/efi/x86_64 -DGNU_EFI_USE_MS_ABI

$B/x86_64/%.asm.o: %.asm
	@mkdir -p $(@D)
	nasm -f elf64 -g -F dwarf -MD $(@:.o=.d) -o $@ $<

# Every image is linked twice: with an empty symbol table, then with the one that the first link gives.
$B/symbols-none.o: tools/symbols.sh
	@mkdir -p $(@D)
	sh tools/symbols.sh < /dev/null > $B/symbols-none.asm
	nasm -f elf64 -o $@ $B/symbols-none.asm

$B/%-symbols.o: $B/%-first tools/symbols.sh
	nm -n $< | sh tools/symbols.sh > $B/$*-symbols.asm
	nasm -f elf64 -o $@ $B/$*-symbols.asm

$B/efi-first: $(OBJ) $(EFI_OBJ) $B/symbols-none.o linker.ld
	$(LINK_EFI) -o $@ $(OBJ) $(EFI_OBJ) $B/symbols-none.o -L/usr/lib -l:libgnuefi.a

$B/dolmen.efi.elf: $(OBJ) $(EFI_OBJ) $B/efi-symbols.o
	$(LINK_EFI) -o $@ $(OBJ) $(EFI_OBJ) $B/efi-symbols.o -L/usr/lib -l:libgnuefi.a

$B/dolmen.efi: $B/dolmen.efi.elf
	objcopy -j .text -j .rodata -j .rela -j .dynsym -j .dynstr -j .hash -j .reloc -j .data \
		-j .dynamic -j .bss --target=efi-app-x86_64 --subsystem=10 $< $@

$B/pvh-first: $(OBJ) $(PVH_OBJ) $B/symbols-none.o boot/pvh.ld
	$(LINK_PVH) -o $@ $(OBJ) $(PVH_OBJ) $B/symbols-none.o

$B/dolmen.elf: $(OBJ) $(PVH_OBJ) $B/pvh-symbols.o
	$(LINK_PVH) -o $@ $(OBJ) $(PVH_OBJ) $B/pvh-symbols.o

clean:
	rm -rf $B

-include $(patsubst %.o,%.d,$(OBJ) $(EFI_OBJ) $(PVH_OBJ))
