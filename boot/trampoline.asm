; Where a CPU starts after INIT and STARTUP: real mode, at the start of a page below 1 MiB to
; which smp_start_all() has copied this code and filled in its parameters. The code finds out
; where it is from cs, goes straight to long mode on the kernel's page tables (which map this page
; at its own address for the time), looks up its struct cpu by APIC id, takes its stack and calls
; C. A CPU that is not in the table, or has no area, halts for good.
;
; Every CPU may run this at once: nothing here is written but the GDT register's base and the far
; jump, by the boot CPU.

global trampoline_start, trampoline_end, trampoline_params

CR0_PE_PG	equ 1 << 31 | 1
CR0_CD_NW	equ 3 << 29
CR4_PAE		equ 1 << 5
CR4_LA57	equ 1 << 12
MSR_EFER	equ 0xc0000080
MSR_GS_BASE	equ 0xc0000101
CPU_STACK_TOP	equ 24			; struct cpu

section .rodata align=16
bits 16

trampoline_start:
	cli
	cld
	mov	ax, cs
	mov	ds, ax
	lgdt	[gdt_register - trampoline_start]
	mov	eax, [cr4_bits - trampoline_start]
	mov	cr4, eax
	mov	eax, [root - trampoline_start]
	mov	cr3, eax
	mov	ecx, MSR_EFER
	rdmsr
	or	eax, [efer_bits - trampoline_start]
	wrmsr
	mov	eax, cr0
	and	eax, ~CR0_CD_NW
	or	eax, CR0_PE_PG
	mov	cr0, eax
	jmp	far dword [long_mode_pointer - trampoline_start]

bits 64
long_mode:
	mov	eax, 16
	mov	ds, eax
	mov	es, eax
	mov	ss, eax

	; The APIC id: leaf 0xb if there is one, else the 8 bits of leaf 1. As cpu_read_apic_id().
	xor	eax, eax
	cpuid
	cmp	eax, 0xb
	jb	.short_id
	mov	eax, 0xb
	xor	ecx, ecx
	cpuid
	test	bx, bx
	jnz	.have_id
.short_id:
	mov	eax, 1
	cpuid
	shr	ebx, 24
	mov	edx, ebx
.have_id:
	mov	rsi, [rel apic_ids]
	mov	ecx, [rel nr_cpus]
.search:
	test	ecx, ecx
	jz	.not_ours
	dec	ecx
	cmp	[rsi + rcx * 4], edx
	jne	.search
	mov	rsi, [rel cpu_table]
	mov	rdi, [rsi + rcx * 8]
	test	rdi, rdi
	jz	.not_ours
	mov	rsp, [rdi + CPU_STACK_TOP]
	test	rsp, rsp
	jz	.not_ours
	xor	ebp, ebp
	push	rbp			; no return address: ends every backtrace
	jmp	[rel entry]
.not_ours:
	cli
	hlt
	jmp	.not_ours

align 8
gdt:	dq	0
	dq	0x00af9a000000ffff	; 64-bit code
	dq	0x00cf92000000ffff	; data
gdt_register:
	dw	gdt_register - gdt - 1

; struct trampoline_params in kernel/smp.c: packed, in this order
trampoline_params:
gdt_base:
	dd	gdt - trampoline_start		; plus the page's address
long_mode_pointer:
	dd	long_mode - trampoline_start	; plus the page's address
	dw	8
root:		dd	0
cr4_bits:	dd	CR4_PAE
efer_bits:	dd	1 << 8			; LME
nr_cpus:	dd	0
apic_ids:	dq	0
cpu_table:	dq	0
entry:		dq	0
trampoline_end:
