; Where the small kernel's CPUs begin. The first comes from GRUB: multiboot2, 32-bit protected mode, ebx = boot information.
; The others come from a copy of `small_trampoline` in a page below 1 MiB. All go to long mode on tables that map the first
; 4 GiB one to one; each takes the next number, the stack of that number, and calls C.

%define MAX_CPUS	16		; as in small.h
%define STACK_BYTES	0x8000

extern small_first_cpu, small_other_cpu
global small_start, small_trampoline, small_trampoline_end

section .multiboot align=8
header:
	dd	0xe85250d6, 0, header_end - header, -(0xe85250d6 + (header_end - header))
	dw	0, 0
	dd	8
header_end:

section .bss align=4096
pml4:	resb	4096
pdpt:	resb	4096
pds:	resb	4 * 4096
stacks:	resb	MAX_CPUS * STACK_BYTES
number:	resd	1

section .rodata
align 8
gdt:	dq	0
	dq	0x00af9a000000ffff	; 64-bit code
	dq	0x00cf92000000ffff	; data
gdt_register:
	dw	gdt_register - gdt - 1
	dd	gdt

; PAE and SSE on, the tables, long mode, paging: in 16 and in 32 bits.
%macro enter_long_mode 0
	mov	eax, 1 << 5 | 1 << 9 | 1 << 10
	mov	cr4, eax
	mov	eax, pml4
	mov	cr3, eax
	mov	ecx, 0xc0000080
	rdmsr
	or	eax, 1 << 8
	wrmsr
	mov	eax, cr0
	and	eax, ~(3 << 29 | 1 << 2)
	or	eax, 1 << 31 | 3
	mov	cr0, eax
%endmacro

section .text
bits 32
small_start:
	cli
	cld
	mov	dword [pml4], pdpt + 3
	mov	edi, pdpt
	mov	eax, pds + 3
	mov	ecx, 4
.directory:
	mov	[edi], eax
	add	edi, 8
	add	eax, 4096
	loop	.directory
	mov	edi, pds
	mov	eax, 1 << 7 | 3
	mov	ecx, 4 * 512
.page:	mov	[edi], eax
	add	edi, 8
	add	eax, 1 << 21
	loop	.page
	enter_long_mode
	lgdt	[gdt_register]
	jmp	8:long_mode

bits 16
small_trampoline:
	cli
	cld
	mov	ax, cs
	mov	ds, ax
	o32 lgdt [.register - small_trampoline]
	xor	ebx, ebx
	enter_long_mode
	jmp	dword 8:long_mode
.register:
	dw	gdt_register - gdt - 1
	dd	gdt
small_trampoline_end:

bits 64
long_mode:
	mov	eax, 16
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	mov	edi, 1
	lock xadd [number], edi
	cmp	edi, MAX_CPUS
	jae	.too_many
	lea	eax, [rdi + 1]
	imul	eax, STACK_BYTES
	lea	rsp, [rax + stacks]
	xor	ebp, ebp
	mov	esi, ebx
	mov	rax, small_other_cpu
	mov	rcx, small_first_cpu
	test	edi, edi
	cmovz	rax, rcx
	call	rax
.too_many:
	cli
	hlt
	jmp	.too_many
