/*
 * CPUs as threads, interrupts as signals.
 *
 * An interrupt is an entry in the CPU's own slot and a signal to its thread. The handler runs it at
 * once if the CPU has interrupts on, and otherwise notes that one is pending; port_irq_restore()
 * runs it then. So an interrupt lands between any two instructions that have interrupts on, exactly
 * as on the machine.
 *
 * One interrupt is under way for a CPU at a time; who wants another waits for it (irq_owner).
 * Whoever waits for another CPU keeps its own interrupts as they are, so two CPUs may interrupt
 * each other as long as both have interrupts on.
 */
#include "arch/hosted/hosted.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define IRQ_SIGNAL   SIGUSR1
#define SIGNAL_AGAIN (1u << 16) /* yields that a sender waits before it does not trust the first */

typedef void irq_fn_t(void *arg);

struct hosted_cpu {
	pthread_t thread; /* set by itself before `entered` */
	bool entered;	  /* by itself, false again before its thread ends */
	bool irq_owner;	  /* who may fill the two below; by swap */
	irq_fn_t *irq_fn; /* set by the sender before irq_posted */
	void *irq_arg;
	bool irq_posted; /* set by the sender, cleared by the CPU when the function has returned */
	void *area;
};

__thread struct hosted_self hosted_self __attribute__((tls_model("initial-exec")));
bool hosted_cas16 = true;

static struct hosted_cpu cpus[DOLMEN_MAX_CPUS];
static pthread_key_t entered_key; /* of a thread, its CPU: leave() is called when it ends */
static _Alignas(64) char boot_area[DOLMEN_PERCPU_BYTES];

void hosted_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(2);
}

/* ---- interrupts ---- */

/* hosted_interrupt_later() */
static struct {
	irq_fn_t *fn;
	void *arg;
	unsigned nr_restores;
} later;

void hosted_interrupt_later(unsigned nr_restores, void (*fn)(void *), void *arg)
{
	later.fn = nr_restores ? fn : NULL;
	later.arg = arg;
	later.nr_restores = nr_restores;
	hosted_self.irq_pending = nr_restores;
}

/*
 * Runs what was posted to this CPU, with interrupts off as in a handler on the machine; and what a
 * signal says that comes meanwhile.
 */
static void run_interrupts(void)
{
	struct hosted_cpu *cpu = &cpus[hosted_self.cpu];

	do {
		*(volatile bool *)&hosted_self.irq_on = false;
		*(volatile bool *)&hosted_self.irq_pending = false;
		if (port_load_acquire(&cpu->irq_posted)) {
			cpu->irq_fn(cpu->irq_arg);
			port_store_release(&cpu->irq_posted, false);
		}
		*(volatile bool *)&hosted_self.irq_on = true;
	} while (*(volatile bool *)&hosted_self.irq_pending);
}

static void on_signal(int number)
{
	int saved = errno;

	(void)number;
	if (port_irq_enabled())
		run_interrupts();
	else
		*(volatile bool *)&hosted_self.irq_pending = true;
	errno = saved;
}

/* From port_irq_restore(), which has just turned interrupts on. A signal may have been quicker. */
void hosted_interrupt_pending(void)
{
	if (later.fn) {
		irq_fn_t *fn = later.fn;

		if (--later.nr_restores)
			return;
		later.fn = NULL;
		hosted_self.irq_pending = hosted_self.irq_on = false;
		fn(later.arg);
		hosted_self.irq_on = true;
		return;
	}
	run_interrupts();
}

/*
 * False: no thread is that CPU. A thread that leaves says so before it looks for a sender, a sender
 * looks after it has become one: so one of the two sees the other.
 */
static bool interrupt_once(struct hosted_cpu *target, irq_fn_t *fn, void *arg)
{
	while (port_swap(&target->irq_owner, true))
		port_relax();
	bool entered = port_load_acquire(&target->entered);
	if (entered) {
		target->irq_fn = fn;
		target->irq_arg = arg;
		port_store_release(&target->irq_posted, true);
		/* ThreadSanitizer hands signals on late, and has lost one: they are sent again. */
		for (unsigned n = 0; port_load_acquire(&target->irq_posted); n++) {
			if (n % SIGNAL_AGAIN == 0)
				pthread_kill(target->thread, IRQ_SIGNAL);
			port_relax();
		}
	}
	port_store_release(&target->irq_owner, false);
	return entered;
}

void hosted_interrupt(unsigned cpu, void (*fn)(void *), void *arg)
{
	while (!interrupt_once(&cpus[cpu], fn, arg))
		port_relax();
}

/* At the end of a thread that entered; interrupts that were sent to it still run. */
static void leave(void *cpu_arg)
{
	struct hosted_cpu *cpu = cpu_arg;

	(void)port_swap(&cpu->entered, false);
	while (port_load_acquire(&cpu->irq_owner))
		port_relax();
}

static void do_nothing(void *arg)
{
	(void)arg;
}

/* A CPU that this thread is too, now or at times, is in no window while the thread is here. */
void hosted_fence(unsigned cpu)
{
	if (port_load_acquire(&cpus[cpu].entered) &&
		!pthread_equal(cpus[cpu].thread, pthread_self()))
		interrupt_once(&cpus[cpu], do_nothing, NULL);
}

/* ---- start ---- */

void hosted_boot_cpu(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	sigaction(IRQ_SIGNAL, &action, NULL);
	pthread_key_create(&entered_key, leave);
	cpus[0].thread = pthread_self();
	port_store_release(&cpus[0].entered, true);
	hosted_self.percpu = boot_area;
	hosted_self.irq_on = true;
}

void port_set_percpu(unsigned cpu, void *area)
{
	cpus[cpu].area = area;
	if (cpu == hosted_self.cpu)
		hosted_self.percpu = area;
}

void hosted_become_cpu(unsigned cpu)
{
	hosted_self.cpu = cpu;
	hosted_self.percpu = cpus[cpu].area;
}

void hosted_enter(unsigned cpu)
{
	hosted_become_cpu(cpu);
	dolmen_cpu_online(cpu);
	cpus[cpu].thread = pthread_self();
	hosted_self.irq_on = true;
	pthread_setspecific(entered_key, &cpus[cpu]);
	port_store_release(&cpus[cpu].entered, true);
}
