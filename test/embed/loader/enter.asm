; Into a kernel, as the Limine protocol has it: the kernel's tables, a GDT whose 64-bit segments are 0x28 and 0x30, interrupts
; off, registers zero. Runs at its address in the direct map, which both sets of tables have.
;
; void enter(uint64_t cr3, void *entry, void *stack, void *argument, const void *gdt_register)

global enter, enter_end

section .text
bits 64
enter:
	cli
	mov	r9, rcx
	mov	r10, rdx
	mov	ecx, 0xc0000080		; EFER: rights to execute
	rdmsr
	or	eax, 1 << 11
	wrmsr
	mov	rax, cr0
	or	eax, 1 << 16		; write protection, also for the kernel
	mov	cr0, rax
	lgdt	[r8]
	mov	cr3, rdi
	mov	rsp, r10
	mov	eax, 0x30
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	mov	fs, eax
	mov	gs, eax
	mov	rdi, r9
	push	qword 0			; where the kernel would return to
	push	qword 0x28
	push	rsi
	xor	eax, eax
	xor	ebx, ebx
	xor	ecx, ecx
	xor	edx, edx
	xor	esi, esi
	xor	ebp, ebp
	xor	r8d, r8d
	xor	r9d, r9d
	xor	r10d, r10d
	o64 retf
enter_end:
