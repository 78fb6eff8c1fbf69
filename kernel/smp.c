/*
 * The other CPUs: see smp.h.
 *
 * A slot passes one function from one CPU to another:
 *
 *	asker	takes `held` (swap, acquire); stores arg, asker, then fn (release); sends an
 *		interrupt
 *	target	loads fn (acquire), runs it, stores NULL in fn, then 0 in `held` (release); wakes
 *		the asker out of its hlt
 *	asker	sees NULL (acquire): everything that the function wrote is visible
 *
 * A CPU in its work loop looks at its slot with interrupts off and then halts with `sti; hlt`,
 * which no interrupt can come between, so a wake-up is never lost. Waiting for a slot is done with
 * interrupts on, so that two CPUs that ask each other both answer.
 */
#include "kernel/smp.h"

#include <dolmen/init.h>
#include <dolmen/numa.h>
#include "arch/x86_64/apic.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/io.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/smp.h"
#include "arch/x86_64/timer.h"
#include "arch/x86_64/trap.h"
#include "kernel/fault.h"
#include "lib/string.h"
#include "mm/log.h"

#define INIT_WAIT_US	  10000
#define STARTUP_WAIT_US	  200
#define ONLINE_PATIENCE_S 2	       /* without a further CPU before the rest is given up */
#define UNKNOWN_HZ	  3000000000ul /* of a TSC that was not measured: a bound, no clock */

#define CR4_LA57 (1ul << 12)
#define EFER_LME (1u << 8)
#define EFER_NXE (1u << 11)

/* At the end of boot/trampoline.asm. */
struct trampoline_params {
	uint32_t gdt_base, long_mode;
	uint16_t selector;
	uint32_t root, cr4_bits, efer_bits, nr_cpus;
	uint64_t apic_ids, cpu_table, entry;
} __attribute__((packed));

extern const char trampoline_start[], trampoline_end[], trampoline_params[];

static uint32_t apic_ids[DOLMEN_MAX_CPUS];
static unsigned nr_cpus = 1;
static uint32_t nr_online = 1;	/* added to by each CPU that comes up */
static uint32_t stop_requested; /* the stopping CPU + 1 */
static uint64_t parked_tsc;	/* when INIT was sent */

unsigned smp_nr_cpus(void)
{
	return nr_cpus;
}

unsigned smp_nr_online(void)
{
	return port_load(&nr_online);
}

bool smp_online(unsigned cpu)
{
	return cpu < nr_cpus && cpu_table[cpu] && port_load_acquire(&cpu_table[cpu]->online);
}

uint32_t smp_apic_id(unsigned cpu)
{
	return cpu_table[cpu] ? cpu_table[cpu]->apic_id : apic_ids[cpu];
}

/* ---- slots ---- */

static void wait_in_hlt(const struct cpu_slot *slot)
{
	while (port_load_acquire(&slot->fn)) {
		if (!port_irq_enabled()) {
			port_relax();
			continue;
		}
		__asm__ volatile("cli" : : : "memory");
		if (port_load_acquire(&slot->fn))
			__asm__ volatile("sti; hlt" : : : "memory");
		else
			__asm__ volatile("sti" : : : "memory");
	}
}

static void ask(
	struct cpu *target, struct cpu_slot *slot, uint8_t vector, void (*fn)(void *), void *arg)
{
	while (port_swap(&slot->held, 1u))
		port_relax();
	port_store(&slot->arg, arg);
	port_store(&slot->asker, port_cpu());
	port_store_release(&slot->fn, fn);
	apic_send(target->apic_id, vector);
}

static void run_slot(struct cpu_slot *slot)
{
	void (*fn)(void *) = port_load_acquire(&slot->fn);

	if (!fn)
		return;
	uint32_t asker = port_load(&slot->asker);

	fn(port_load(&slot->arg));
	port_store_release(&slot->fn, NULL);
	port_store_release(&slot->held, 0u);
	if (asker != port_cpu())
		apic_send(cpu_table[asker]->apic_id, VECTOR_WAKE);
}

void smp_start(unsigned cpu, void (*fn)(void *), void *arg)
{
	if (cpu == port_cpu()) {
		fn(arg);
		return;
	}
	if (cpu == 0 || !smp_online(cpu))
		return;
	ask(cpu_table[cpu], &cpu_table[cpu]->work, VECTOR_WAKE, fn, arg);
}

void smp_wait(unsigned cpu)
{
	if (cpu == 0 || cpu == port_cpu() || !smp_online(cpu))
		return;
	wait_in_hlt(&cpu_table[cpu]->work);
}

void smp_call(unsigned cpu, void (*fn)(void *), void *arg)
{
	smp_start(cpu, fn, arg);
	smp_wait(cpu);
}

void smp_interrupt(unsigned cpu, void (*fn)(void *), void *arg)
{
	if (!smp_online(cpu) || !apic_present())
		return;
	struct cpu *target = cpu_table[cpu];

	ask(target, &target->interrupt, VECTOR_CALL, fn, arg);
	while (port_load_acquire(&target->interrupt.fn))
		port_relax();
}

void smp_call_interrupt(void)
{
	run_slot(&this_cpu()->interrupt);
}

static void fence(void *unused)
{
	(void)unused;
}

/* A window that an interrupt lands in is over: it restarts, and so began after this call. */
void port_window_fence(unsigned cpu)
{
	if (cpu != port_cpu())
		smp_interrupt(cpu, fence, NULL);
}

/* ---- start ---- */

static void __attribute__((noreturn)) work_loop(struct cpu *cpu)
{
	for (;;) {
		__asm__ volatile("cli" : : : "memory");
		if (!port_load_acquire(&cpu->work.fn)) {
			__asm__ volatile("sti; hlt" : : : "memory");
			continue;
		}
		__asm__ volatile("sti" : : : "memory");
		run_slot(&cpu->work);
	}
}

/* From boot/trampoline.asm on this CPU's own stack, interrupts off. */
static void __attribute__((noreturn)) cpu_entry(struct cpu *cpu)
{
	cpu_load_tables(cpu);
	trap_load_idt();
	cpu_enable_features();
	apic_enable(false);
	dolmen_cpu_online(cpu->id);
	timer_start();
	port_store_release(&cpu->online, 1u);
	port_fetch_add(&nr_online, 1u);
	work_loop(cpu);
}

static bool prepare(unsigned cpu)
{
	struct cpu *area = cpu_table[cpu];

	if (!area)
		return false;
	area->apic_id = apic_ids[cpu];
	area->stacks = paging_new_stacks(cpu, (int)cpu_to_mem(cpu));
	if (!area->stacks)
		return false;
	area->stack_top = (uintptr_t)area->stacks->main + STACK_MAIN_BYTES;
	return apic_is_x2apic() || apic_ids[cpu] < 0xff;
}

static void copy_trampoline(uint64_t page_phys)
{
	char *page = port_phys_to_virt(page_phys);
	size_t size_bytes = (uintptr_t)trampoline_end - (uintptr_t)trampoline_start;
	struct trampoline_params *params =
		(void *)(page + ((uintptr_t)trampoline_params - (uintptr_t)trampoline_start));

	memcpy(page, trampoline_start, size_bytes);
	params->gdt_base += (uint32_t)page_phys;
	params->long_mode += (uint32_t)page_phys;
	params->root = (uint32_t)paging_root();
	params->cr4_bits |= read_cr4() & CR4_LA57;
	params->efer_bits |= cpu_features.nx ? EFER_NXE : 0;
	params->nr_cpus = nr_cpus;
	params->apic_ids = (uintptr_t)apic_ids;
	params->cpu_table = (uintptr_t)cpu_table;
	params->entry = (uintptr_t)cpu_entry;
}

/*
 * Until all `wanted` are online, or none has come for a while. Not a wait for hardware: the others
 * are at work.
 */
static void wait_online(unsigned wanted)
{
	uint64_t since = read_tsc(), patience = timer_tsc_hz() * ONLINE_PATIENCE_S;
	unsigned seen = smp_nr_online();

	if (!patience)
		patience = UNKNOWN_HZ * ONLINE_PATIENCE_S;
	while (smp_nr_online() < wanted && read_tsc() - since < patience) {
		if (smp_nr_online() != seen) {
			seen = smp_nr_online();
			since = read_tsc();
		}
		port_relax();
	}
}

void smp_park_others(void)
{
	apic_send_init_others();
	parked_tsc = read_tsc();
}

/* INIT takes up to 10 ms; what the boot CPU has done since counts. */
static void wait_parked(void)
{
	uint64_t hz = timer_tsc_hz(), passed = read_tsc() - parked_tsc;

	if (!hz)
		timer_delay_us(INIT_WAIT_US);
	else if (passed < hz / 1000000 * INIT_WAIT_US)
		timer_delay_us(INIT_WAIT_US - (unsigned)(passed * 1000000 / hz));
}

void smp_start_all(const uint32_t *ids, unsigned nr, uint64_t trampoline_phys)
{
	unsigned wanted = 1;

	nr_cpus = nr;
	memcpy(apic_ids, ids, nr * sizeof(*ids));
	if (nr == 1)
		return;
	if (!trampoline_phys || !apic_present() || !paging_trampoline(trampoline_phys, true)) {
		mm_log("cpus: no %s, so only the boot CPU runs",
			apic_present() ? "page below 1 MiB" : "local APIC");
		return;
	}
	copy_trampoline(trampoline_phys);
	for (unsigned cpu = 1; cpu < nr; cpu++) {
		if (!prepare(cpu)) {
			mm_log("cpus: CPU %u with APIC id %u cannot be started: %s", cpu,
				apic_ids[cpu],
				cpu_table[cpu] ? "no memory or an id out of reach" : "no area");
			apic_ids[cpu] = apic_ids[0]; /* the trampoline does not know it */
			continue;
		}
		wanted++;
	}
	wait_parked();
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned cpu = 1; cpu < nr; cpu++)
			if (apic_ids[cpu] != apic_ids[0] && !smp_online(cpu))
				apic_send_startup(apic_ids[cpu], (uint8_t)(trampoline_phys >> 12));
		timer_delay_us(STARTUP_WAIT_US);
	}
	wait_online(wanted);
	for (unsigned cpu = 1; cpu < nr; cpu++)
		if (apic_ids[cpu] != apic_ids[0] && !smp_online(cpu)) {
			mm_log("cpus: CPU %u with APIC id %u did not start", cpu, apic_ids[cpu]);
			apic_send_init(
				apic_ids[cpu]); /* or it might come when the trampoline is gone */
		}
	paging_trampoline(trampoline_phys, false);
}

/* ---- stop ---- */

bool smp_stop_requested(void)
{
	return port_load(&stop_requested) != 0;
}

void smp_halt(void)
{
	for (;;)
		__asm__ volatile("cli; hlt");
}

void smp_stop_others(void)
{
	uint32_t nobody = 0, me = port_cpu() + 1;

	if (!port_cas(&stop_requested, &nobody, me)) {
		if (nobody != me)
			smp_halt();
		return;
	}
	apic_send_nmi_others();
}
