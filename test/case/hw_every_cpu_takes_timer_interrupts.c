/*
 * The periodic interrupt of each CPU's own local APIC, whether the CPU works or waits in hlt.
 */
#include <dolmen/port.h>
#include "arch/x86_64/apic.h"
#include "arch/x86_64/timer.h"
#include "kernel/smp.h"
#include "test/contract.h"

#define WANTED_TICKS 3
#define PATIENCE_MS  2000 /* 3 ticks take 30 ms, with 255 CPUs 120; an emulator may be slow */

static uint32_t nr_hooked;

static void count(void)
{
	port_fetch_add(&nr_hooked, 1u);
}

CONTRACT("every CPU takes periodic timer interrupts, which call the hook with interrupts off",
	"timer_start() is left out of a CPU's start, or the end of interrupt is not signalled")
{
	if (!apic_present() || !timer_tsc_hz()) {
		contract_skip("no APIC, or no clock to set its timer by");
		return;
	}
	port_store(&nr_hooked, 0u);
	port_store(&timer_hook, count);
	for (unsigned cpu = 0; cpu < smp_nr_cpus(); cpu++) {
		if (!smp_online(cpu))
			continue;
		uint64_t first = timer_ticks(cpu);

		for (unsigned ms = 0; ms < PATIENCE_MS && timer_ticks(cpu) - first < WANTED_TICKS;
			ms++)
			timer_delay_us(1000);
		CHECK(timer_ticks(cpu) - first >= WANTED_TICKS, "CPU %u: %lu ticks", cpu,
			timer_ticks(cpu) - first);
	}
	port_store(&timer_hook, NULL);
	CHECK(port_load(&nr_hooked) >= WANTED_TICKS, "the hook ran %u times", nr_hooked);
}
