/*
 * Time: see timer.h.
 *
 * Nothing is assumed about any clock: channel 2 of the PIT counts WINDOW_MS down while the TSC and
 * the local APIC's timer run; a PIT that is not there (no end within a bound, or too soon) gives
 * way to the ACPI timer, that to CPUID leaf 0x15. A TSC whose rate is unknown makes waits fall back
 * on the pace of port reads, about 1 us each.
 */
#include "arch/x86_64/timer.h"

#include <dolmen/init.h>
#include "arch/x86_64/apic.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/io.h"
#include "kernel/smp.h"

#define WINDOW_MS 10u

#define PIT_HZ	       1193182u
#define PIT_CHANNEL2   0x42
#define PIT_COMMAND    0x43
#define PIT_ONE_SHOT_2 0xb0 /* channel 2, low then high byte, mode 0, binary */
#define GATE_PORT      0x61
#define GATE_ON	       0x01
#define GATE_SPEAKER   0x02
#define GATE_OUT       0x20

#define PM_TIMER_HZ   3579545u
#define PM_TIMER_MASK 0xffffffu /* at least 24 bits count */

/*
 * A clock that has not moved on after both so many reads and so many TSC ticks is not there. A read
 * takes about 1 us on a machine; an emulator that counts instructions makes it a few ticks.
 */
#define MAX_POLLS 1000000u
#define MAX_TICKS (1ul << 30)

#define DELAY_PORT	      0x80
#define MIN_TSC_TICKS	      1000000u /* in the window: below 100 MHz something is wrong */
#define TICKS_A_SECOND_FOR_MM 10u

void (*timer_hook)(void);
bool timer_feeds_mm;

static const char *reference = "nothing";
static uint64_t tsc_hz, apic_hz, waited;
static unsigned nr_sharing = 1; /* CPUs that share TIMER_TOTAL_HZ */

struct window {
	uint64_t tsc, apic;
};

static void window_start(struct window *w)
{
	apic_timer_set(UINT32_MAX, false);
	w->tsc = read_tsc();
}

/* True if the window, said to be of `us` microseconds, makes sense; then the rates are known. */
static bool window_end(struct window *w, uint64_t us)
{
	w->tsc = read_tsc() - w->tsc;
	w->apic = UINT32_MAX - apic_timer_left();
	apic_timer_set(0, false);
	if (w->tsc < MIN_TSC_TICKS || !w->apic)
		return false;
	tsc_hz = w->tsc * 1000000 / us;
	apic_hz = w->apic * 1000000 / us;
	return true;
}

static bool window_over(const struct window *w, uint32_t *polls)
{
	return ++*polls > MAX_POLLS && read_tsc() - w->tsc > MAX_TICKS;
}

static bool by_pit(void)
{
	struct window w;
	uint32_t count = PIT_HZ * WINDOW_MS / 1000, polls = 0;
	uint8_t gate = in8(GATE_PORT) & ~(GATE_ON | GATE_SPEAKER);

	out8(GATE_PORT, gate);
	out8(PIT_COMMAND, PIT_ONE_SHOT_2);
	out8(PIT_CHANNEL2, count & 0xff);
	out8(PIT_CHANNEL2, (uint8_t)(count >> 8));
	window_start(&w);
	out8(GATE_PORT, gate | GATE_ON);
	while (!(in8(GATE_PORT) & GATE_OUT))
		if (window_over(&w, &polls))
			return false;
	out8(GATE_PORT, gate);
	return window_end(&w, WINDOW_MS * 1000);
}

static bool by_pm_timer(uint16_t port)
{
	struct window w;
	uint32_t target = PM_TIMER_HZ * WINDOW_MS / 1000, passed = 0, polls = 0;

	if (!port)
		return false;
	uint32_t start = in32(port);

	window_start(&w);
	while (passed < target) {
		if (window_over(&w, &polls))
			return false;
		passed = (in32(port) - start) & PM_TIMER_MASK;
	}
	return window_end(&w, (uint64_t)passed * 1000000 / PM_TIMER_HZ);
}

/* The crystal's rate is the APIC timer's before division, and the TSC's by a ratio. */
static bool by_cpuid(void)
{
	struct cpuid clock = read_cpuid(0x15, 0);

	if (!clock.eax || !clock.ebx || !clock.ecx)
		return false;
	tsc_hz = (uint64_t)clock.ecx * clock.ebx / clock.eax;
	apic_hz = clock.ecx / 16;
	return true;
}

bool timer_calibrate(uint16_t pm_timer_port, unsigned nr_cpus)
{
	uint64_t start = read_tsc();
	bool known = true;

	nr_sharing = nr_cpus;
	tsc_hz = apic_hz = 0;
	if (by_pit())
		reference = "PIT";
	else if (by_pm_timer(pm_timer_port))
		reference = "ACPI timer";
	else if (by_cpuid())
		reference = "CPUID";
	else
		known = false;
	if (!known)
		tsc_hz = apic_hz = 0;
	waited += read_tsc() - start;
	return known;
}

const char *timer_reference(void)
{
	return reference;
}

uint64_t timer_tsc_hz(void)
{
	return tsc_hz;
}

void timer_delay_us(unsigned us)
{
	uint64_t start = read_tsc(), ticks = tsc_hz / 1000000 * us;

	if (tsc_hz)
		while (read_tsc() - start < ticks)
			port_relax();
	else
		for (unsigned i = 0; i < us; i++)
			in8(DELAY_PORT);
	waited += read_tsc() - start;
}

uint64_t timer_waited(void)
{
	return waited;
}

unsigned timer_rate(unsigned hz)
{
	unsigned share = TIMER_TOTAL_HZ / nr_sharing;

	return !apic_hz ? 0 : hz < share ? hz : share;
}

static void set_this_cpu(void *arg)
{
	uint32_t hz = timer_rate(*(const uint32_t *)arg);
	struct cpu *cpu = this_cpu();

	port_store(&cpu->timer_hz, hz);
	apic_timer_set(hz ? (uint32_t)(apic_hz / hz) : 0, true);
}

void timer_start(void)
{
	uint32_t hz = TIMER_HZ;
	unsigned long flags = port_irq_save();

	set_this_cpu(&hz);
	port_irq_restore(flags);
}

void timer_stop(void)
{
	uint32_t hz = 0;
	unsigned long flags = port_irq_save();

	set_this_cpu(&hz);
	port_irq_restore(flags);
}

void timer_set_rate(unsigned hz)
{
	uint32_t rate = hz;

	if (!apic_present())
		return;
	for (unsigned cpu = 0; cpu < smp_nr_cpus(); cpu++)
		smp_interrupt(cpu, set_this_cpu, &rate);
}

uint64_t timer_ticks(unsigned cpu)
{
	return port_load(&cpu_table[cpu]->nr_ticks);
}

void timer_interrupt(void)
{
	struct cpu *cpu = this_cpu();
	uint64_t ticks = port_load(&cpu->nr_ticks) + 1;
	uint32_t every = port_load(&cpu->timer_hz) / TICKS_A_SECOND_FOR_MM;
	void (*hook)(void) = port_load(&timer_hook);

	port_store(&cpu->nr_ticks, ticks);
	if (hook)
		hook();
	if (port_load(&timer_feeds_mm) && (!every || ticks % every == 0))
		dolmen_tick();
}
