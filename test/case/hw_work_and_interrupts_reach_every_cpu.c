/*
 * The ways in which one CPU makes another do something.
 */
#include <dolmen/port.h>
#include "arch/x86_64/cpu.h"
#include "kernel/smp.h"
#include "test/contract.h"

#define ROUNDS 20

struct place {
	unsigned cpu;
	bool interrupts_on;
	uint64_t stack;
	unsigned runs;
};

static void look(void *arg)
{
	struct place *place = arg;

	place->cpu = port_cpu();
	place->interrupts_on = port_irq_enabled();
	place->stack = (uintptr_t)__builtin_frame_address(0);
	place->runs++;
}

static bool on_stack_of(unsigned cpu, uint64_t address)
{
	return address - (uintptr_t)cpu_table[cpu]->stacks->main < STACK_MAIN_BYTES;
}

CONTRACT("work and interrupts reach every CPU, each once, on its own stack",
	"work_loop() runs its slot with interrupts still off")
{
	for (unsigned cpu = 0; cpu < smp_nr_cpus(); cpu++) {
		struct place work = {0}, interrupt = {0};

		if (!smp_online(cpu))
			continue;
		for (unsigned i = 0; i < ROUNDS; i++) {
			smp_call(cpu, look, &work);
			smp_interrupt(cpu, look, &interrupt);
		}
		CHECK(work.runs == ROUNDS && work.cpu == cpu && work.interrupts_on,
			"work: %u runs, on CPU %u, interrupts %d", work.runs, work.cpu,
			work.interrupts_on);
		CHECK(interrupt.runs == ROUNDS && interrupt.cpu == cpu && !interrupt.interrupts_on,
			"interrupt: %u runs, on CPU %u, interrupts %d", interrupt.runs,
			interrupt.cpu, interrupt.interrupts_on);
		CHECK(on_stack_of(cpu, work.stack) && on_stack_of(cpu, interrupt.stack),
			"CPU %u ran on the stacks at %lx and %lx", cpu, work.stack,
			interrupt.stack);
	}
}
