/*
 * The machine's end: see machine.h. The ways are tried from the certain to the desperate, each wait
 * bounded.
 */
#include "kernel/machine.h"

#include "arch/x86_64/io.h"
#include "arch/x86_64/smp.h"
#include "arch/x86_64/timer.h"
#include "kernel/smp.h"
#include "mm/log.h"

#define DEBUG_EXIT_PORT 0xf4

#define PM1_SCI_ENABLE 0x0001
#define PM1_SLEEP_TYPE 10
#define PM1_SLEEP      (1u << 13)
#define SCI_WAIT_US    1000
#define SCI_WAITS      300

#define RESET_CONTROL  0xcf9
#define RESET_FULL     0x0e
#define KEYBOARD_PORT  0x64
#define KEYBOARD_RESET 0xfe
#define RESET_WAIT_US  50000

static struct acpi_power power;

void machine_set_power(const struct acpi_power *found)
{
	power = *found;
}

static void power_off(void)
{
	if (!power.has_s5 || !power.pm1a_port)
		return;
	if (power.smi_command_port && power.acpi_enable_value &&
		!(in16(power.pm1a_port) & PM1_SCI_ENABLE)) {
		out8(power.smi_command_port, power.acpi_enable_value);
		for (unsigned i = 0; i < SCI_WAITS && !(in16(power.pm1a_port) & PM1_SCI_ENABLE);
			i++)
			timer_delay_us(SCI_WAIT_US);
	}
	out16(power.pm1a_port, (uint16_t)(power.s5_type_a << PM1_SLEEP_TYPE | PM1_SLEEP));
	if (power.pm1b_port)
		out16(power.pm1b_port, (uint16_t)(power.s5_type_b << PM1_SLEEP_TYPE | PM1_SLEEP));
	timer_delay_us(RESET_WAIT_US);
}

void machine_exit(enum machine_verdict verdict)
{
	__asm__ volatile("cli");
	smp_stop_others();
	out32(DEBUG_EXIT_PORT, verdict);
	/*
	 * Still here, so this is no test under QEMU. After a fault the report should stay where a
	 * person can see it.
	 */
	if (verdict != MACHINE_FAULT)
		power_off();
	mm_log("dolmen: halted");
	smp_halt();
}

void machine_reboot(void)
{
	static const struct {
		uint16_t limit;
		uint64_t base;
	} __attribute__((packed)) no_idt;

	__asm__ volatile("cli");
	smp_stop_others();
	if (power.reset_port) {
		out8(power.reset_port, power.reset_value);
		timer_delay_us(RESET_WAIT_US);
	}
	out8(RESET_CONTROL, RESET_FULL);
	timer_delay_us(RESET_WAIT_US);
	out8(KEYBOARD_PORT, KEYBOARD_RESET);
	timer_delay_us(RESET_WAIT_US);
	__asm__ volatile("lidt %0; int3" : : "m"(no_idt));
	smp_halt();
}
