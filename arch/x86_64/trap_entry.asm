; Where the CPU enters on an interrupt or exception: 256 stubs of STUB_BYTES each, so that the IDT
; needs no table of addresses; all push the same frame (struct trap_frame) and call
; trap_dispatch(frame).

bits 64
default rel

STUB_BYTES	equ 16

extern trap_dispatch
global trap_stubs, trap_probe_call, trap_probe_resume

; The exceptions for which the CPU itself pushes an error code.
%define HAS_ERROR(v) ((v) == 8 || ((v) >= 10 && (v) <= 14) || (v) == 17 || (v) == 21 || \
	(v) == 29 || (v) == 30)

section .text

align STUB_BYTES
trap_stubs:
%assign vector 0
%rep 256
align STUB_BYTES
%if !HAS_ERROR(vector)
	push	qword 0
%endif
	push	qword vector
	jmp	near trap_common
%assign vector vector + 1
%endrep

trap_common:
	push	rax
	push	rbx
	push	rcx
	push	rdx
	push	rsi
	push	rdi
	push	rbp
	push	r8
	push	r9
	push	r10
	push	r11
	push	r12
	push	r13
	push	r14
	push	r15
	cld
	mov	rdi, rsp
	call	trap_dispatch		; the frame is 176 bytes below a 16-byte boundary: aligned
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	r11
	pop	r10
	pop	r9
	pop	r8
	pop	rbp
	pop	rdi
	pop	rsi
	pop	rdx
	pop	rcx
	pop	rbx
	pop	rax
	add	rsp, 16
	iretq

; bool trap_probe_call(void (*fn)(void *), void *arg, uint64_t *resume_rsp)
; Calls fn(arg) with everything that a caller may rely on saved; returns false if it came back.
; After a fault the handler continues at trap_probe_resume with rsp = *resume_rsp, and the call
; returns true.
trap_probe_call:
	push	rbp
	mov	rbp, rsp
	push	rbx
	push	r12
	push	r13
	push	r14
	push	r15
	push	rdx
	mov	[rdx], rsp
	mov	rax, rdi
	mov	rdi, rsi
	call	rax
	xor	eax, eax
	jmp	trap_probe_done
trap_probe_resume:
	mov	eax, 1
trap_probe_done:
	pop	rdx
	mov	qword [rdx], 0
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbx
	pop	rbp
	ret
