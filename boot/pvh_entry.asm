; PVH entry. QEMU (or Xen) jumps here in 32-bit protected mode without paging, ebx = physical
; address of hvm_start_info. The image is linked at the address where it was loaded. The first 4
; GiB are mapped one to one in 2 MiB pages, which is enough until the kernel makes its own tables,
; and long mode is entered.

extern pvh_main, boot_stacks
global pvh_entry

BOOT_STACKS_BYTES equ 0xe000		; sizeof(struct cpu_stacks)
CR4_PAE		equ 1 << 5
MSR_EFER	equ 0xc0000080
EFER_LME	equ 1 << 8
CR0_PG		equ 1 << 31
PTE_PRESENT_WRITE equ 3
PTE_LARGE	equ 1 << 7

section .note.pvh progbits alloc noexec nowrite align=4

	dd	4, 8, 18		; name and descriptor bytes; XEN_ELFNOTE_PHYS32_ENTRY
	db	"Xen", 0
	dq	pvh_entry

section .bss align=4096 nobits alloc noexec write

pml4:	resb	4096
pdpt:	resb	4096
pds:	resb	4 * 4096

section .rodata

align 8
gdt:	dq	0
	dq	0x00af9a000000ffff	; 64-bit code
	dq	0x00cf92000000ffff	; data
gdt_end:
gdt_register:
	dw	gdt_end - gdt - 1
	dd	gdt

section .text
bits 32

pvh_entry:
	cli
	cld
	mov	esp, boot_stacks + BOOT_STACKS_BYTES
	mov	dword [pml4], pdpt + PTE_PRESENT_WRITE
	mov	edi, pdpt
	mov	eax, pds + PTE_PRESENT_WRITE
	mov	ecx, 4
.directory:
	mov	[edi], eax
	add	edi, 8
	add	eax, 4096
	loop	.directory
	mov	edi, pds
	mov	eax, PTE_PRESENT_WRITE + PTE_LARGE
	mov	ecx, 4 * 512
.page:
	mov	[edi], eax
	add	edi, 8
	add	eax, 1 << 21
	loop	.page

	mov	eax, cr4
	or	eax, CR4_PAE
	mov	cr4, eax
	mov	eax, pml4
	mov	cr3, eax
	mov	ecx, MSR_EFER
	rdmsr
	or	eax, EFER_LME
	wrmsr
	mov	eax, cr0
	or	eax, CR0_PG
	mov	cr0, eax
	lgdt	[gdt_register]
	jmp	8:.long_mode

bits 64
.long_mode:
	mov	eax, 16
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	xor	eax, eax
	mov	fs, eax
	mov	gs, eax
	mov	edi, ebx
	xor	ebp, ebp
	call	pvh_main
	ud2
