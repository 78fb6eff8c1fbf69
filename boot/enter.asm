; The step from a loader into the kernel: both images come through here. The loader's stack is
; left for good.

bits 64
default rel

BOOT_STACKS_BYTES equ 0xe000		; sizeof(struct cpu_stacks)

extern boot_stacks, kmain
global boot_enter_kernel

section .text

boot_enter_kernel:			; rdi: struct boot_info *
	cli
	cld
	lea	rsp, [boot_stacks + BOOT_STACKS_BYTES]
	xor	ebp, ebp		; ends every backtrace
	call	kmain
	ud2
