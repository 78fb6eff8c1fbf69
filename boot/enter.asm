; The step from a loader into the kernel: both images come through here. The loader's stack is left for good.

bits 64
default rel

extern boot_stack_top, kmain
global boot_enter_kernel

section .text

boot_enter_kernel:			; rdi: struct boot_info *
	cli
	cld
	lea	rsp, [boot_stack_top]
	xor	ebp, ebp		; ends every backtrace
	call	kmain
	ud2
