/*
 * Fault reports, probes and injections: see fault.h.
 *
 * A report trusts nothing: other CPUs are stopped first, the serial lock is taken over, memory is
 * read only where the page tables say that it is there, and a fault within the report halts (the
 * CPU has asked for the stop already, and the second report goes no further than its first line).
 */
#include "kernel/fault.h"

#include <dolmen/numa.h>
#include <dolmen/port.h>
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/io.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/serial.h"
#include "arch/x86_64/smp.h"
#include "arch/x86_64/trap.h"
#include "kernel/machine.h"
#include "kernel/smp.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/log.h"

#define MAX_FRAMES   32
#define CODE_BEFORE  8
#define CODE_AFTER   16
#define SYMBOL_BYTES 80

struct symbol {
	uint32_t offset; /* from image_start */
	uint32_t name;	 /* in symbol_names */
};

/* Made from the first link of the image by tools/symbols.sh. */
extern const struct symbol symbol_table[];
extern const uint32_t symbol_count;
extern const char symbol_names[];
extern char image_start[], text_start[], text_end[];

/* arch/x86_64/trap_entry.asm */
bool trap_probe_call(void (*fn)(void *), void *arg, uint64_t *resume_rsp);

static const char *const exception_names[NR_EXCEPTIONS] = {
	"divide error",
	"debug",
	"NMI",
	"breakpoint",
	"overflow",
	"bound range",
	"invalid opcode",
	"no coprocessor",
	"double fault",
	"coprocessor overrun",
	"invalid TSS",
	"segment not present",
	"stack segment",
	"general protection",
	"page fault",
	"reserved",
	"x87 error",
	"alignment check",
	"machine check",
	"SIMD error",
	"virtualisation",
	"control protection",
};

static uint32_t reporting; /* set by the first report */

const char *fault_symbol(char *buf, size_t size_bytes, uint64_t address)
{
	uint32_t low = 0, high = symbol_count;

	if (address < (uintptr_t)text_start || address >= (uintptr_t)text_end) {
		format_text(buf, size_bytes, "?");
		return buf;
	}
	uint64_t offset = address - (uintptr_t)image_start;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (symbol_table[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		format_text(buf, size_bytes, "?");
	else
		format_text(buf, size_bytes, "%s+0x%lx", symbol_names + symbol_table[low - 1].name,
			offset - symbol_table[low - 1].offset);
	return buf;
}

static bool readable(uint64_t address, size_t size_bytes)
{
	return paging_is_mapped(address) && paging_is_mapped(address + size_bytes - 1);
}

void fault_backtrace(uint64_t rip, uint64_t rbp)
{
	char name[SYMBOL_BYTES];

	/*
	 * All but the first are return addresses, which may lie behind the last instruction of
	 * their function.
	 */
	for (unsigned i = 0; i < MAX_FRAMES; i++) {
		mm_log("  %2u %016lx %s", i, rip, fault_symbol(name, sizeof(name), rip - !!i));
		if (!rbp || rbp & 7 || !readable(rbp, 16))
			return;
		uint64_t next = ((const uint64_t *)rbp)[0];

		rip = ((const uint64_t *)rbp)[1];
		if (!rip || (next && next <= rbp))
			return; /* frames only ever lie further up */
		rbp = next;
	}
}

/* A call to where there is no code has pushed its return address, and no frame yet. */
static uint64_t caller_of_nowhere(const struct trap_frame *f)
{
	if ((f->rip >= (uintptr_t)text_start && f->rip < (uintptr_t)text_end) || f->rsp & 7 ||
		!readable(f->rsp, 8))
		return 0;
	return *(const uint64_t *)f->rsp;
}

static void print_code(uint64_t rip)
{
	char text[(CODE_BEFORE + CODE_AFTER) * 3 + 8];
	size_t used = 0;

	for (uint64_t at = rip - CODE_BEFORE; at != rip + CODE_AFTER; at++) {
		if (!paging_is_mapped(at))
			continue;
		used += format_text(text + used, sizeof(text) - used,
			at == rip ? " <%02x>" : " %02x", *(const uint8_t *)at);
	}
	mm_log("  code%s", used ? text : " not mapped");
}

static void print_registers(const struct trap_frame *f)
{
	mm_log("  rax %016lx  rbx %016lx  rcx %016lx", f->rax, f->rbx, f->rcx);
	mm_log("  rdx %016lx  rsi %016lx  rdi %016lx", f->rdx, f->rsi, f->rdi);
	mm_log("  rbp %016lx  rsp %016lx  r8  %016lx", f->rbp, f->rsp, f->r8);
	mm_log("  r9  %016lx  r10 %016lx  r11 %016lx", f->r9, f->r10, f->r11);
	mm_log("  r12 %016lx  r13 %016lx  r14 %016lx", f->r12, f->r13, f->r14);
	mm_log("  r15 %016lx  cs  %04lx  ss %04lx  rflags %08lx", f->r15, f->cs, f->ss, f->rflags);
	mm_log("  cr0 %08lx  cr2 %016lx  cr3 %012lx  cr4 %08lx", read_cr0(), read_cr2(), read_cr3(),
		read_cr4());
}

/* Says what an address means, where it means something. */
static void print_place(const struct trap_frame *f)
{
	uint64_t cr2 = read_cr2();
	const char *stack = cpu_stack_guard_hit(this_cpu(), cr2);

	if (f->vector != VECTOR_PAGE_FAULT && f->vector != VECTOR_DOUBLE_FAULT)
		return;
	if (stack)
		mm_log("  %lx is in the guard page of this CPU's %s", cr2, stack);
	if (f->vector == VECTOR_PAGE_FAULT)
		mm_log("  %s of %lx, which is %s",
			f->error & 16  ? "execution"
			: f->error & 2 ? "write"
				       : "read",
			cr2, f->error & 1 ? "not allowed" : "not mapped");
}

void fault_report(struct trap_frame *frame)
{
	char name[SYMBOL_BYTES];
	unsigned cpu = port_cpu();
	bool again = smp_stop_requested() && port_swap(&reporting, 1u);

	smp_stop_others();
	serial_take_over();
	mm_log("dolmen: fault on CPU %u, node %u: vector %lu, %s, error %lx, at %s", cpu,
		cpu_to_node(cpu), frame->vector,
		frame->vector < NR_EXCEPTIONS && exception_names[frame->vector]
			? exception_names[frame->vector]
			: "unexpected",
		frame->error, fault_symbol(name, sizeof(name), frame->rip));
	if (again)
		machine_exit(MACHINE_FAULT);
	port_store(&reporting, 1u);
	print_place(frame);
	print_code(frame->rip);
	print_registers(frame);
	if (caller_of_nowhere(frame))
		mm_log("  called from %s",
			fault_symbol(name, sizeof(name), caller_of_nowhere(frame) - 1));
	fault_backtrace(frame->rip, frame->rbp);
	machine_exit(MACHINE_FAULT);
}

void port_panic(const char *line)
{
	__asm__ volatile("cli");
	smp_stop_others();
	serial_take_over();
	mm_log("dolmen: panic on CPU %u, node %u: %s", port_cpu(), cpu_to_node(port_cpu()), line);
	fault_backtrace((uintptr_t)__builtin_return_address(0) - 1,
		*(uintptr_t *)__builtin_frame_address(0));
	machine_exit(MACHINE_FAILED);
}

bool fault_probe(void (*fn)(void *), void *arg, struct fault_seen *seen)
{
	unsigned long flags = port_irq_save();
	struct cpu_probe *probe = &this_cpu()->probe;
	bool faulted = trap_probe_call(fn, arg, &probe->rsp);

	*seen = probe->seen;
	port_irq_restore(flags);
	return faulted;
}

/* ---- faults on purpose ---- */

static void misaligned_exchange(void)
{
	static char bytes[64] __attribute__((aligned(64)));
	struct port_pair old = {0, 0};

	port_cas16((struct port_pair *)(bytes + 8), &old, old);
}

static void read_unmapped(void)
{
	*(volatile char *)(PORT_DIRECT_BASE + PORT_DIRECT_BYTES - PAGE_SIZE);
}

static void read_null(void)
{
	volatile uintptr_t null = 0;

	*(volatile char *)null;
}

static int overflow_stack(volatile int depth)
{
	volatile char frame[512];

	frame[0] = (char)depth;
	if (depth < 0)
		return 0; /* never, but the compiler wants an end */
	return overflow_stack(depth + 1) + frame[0];
}

static void run_into_guard(void)
{
	overflow_stack(0);
}

static void write_text(void)
{
	*(volatile char *)text_start = 0;
}

static void call_data(void)
{
	static char data[16] = {(char)0xc3}; /* ret */

	((void (*)(void))(uintptr_t)data)();
}

static void panic(void)
{
	port_panic("on purpose");
}

static const struct {
	const char *name;
	void (*cause)(void);
} faults[] = {
	{"gp", misaligned_exchange},
	{"page", read_unmapped},
	{"null", read_null},
	{"stack", run_into_guard},
	{"text", write_text},
	{"exec", call_data},
	{"panic", panic},
};

static void cause(void *arg)
{
	(*(void (*const *)(void))arg)();
}

bool fault_inject(const char *what)
{
	const char *at = strchr(what, '@');
	size_t length = at ? (size_t)(at - what) : strlen(what);
	unsigned cpu = 0;

	for (const char *digit = at ? at + 1 : ""; *digit; digit++) {
		if (*digit < '0' || *digit > '9' || cpu >= DOLMEN_MAX_CPUS)
			return false;
		cpu = cpu * 10 + (unsigned)(*digit - '0');
	}
	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (strlen(faults[i].name) != length || strncmp(what, faults[i].name, length) != 0)
			continue;
		smp_call(cpu, cause, (void *)(uintptr_t)&faults[i].cause);
		return smp_online(cpu);
	}
	return false;
}
