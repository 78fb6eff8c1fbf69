/*
 * Local APIC: see apic.h.
 *
 * Registers have one numbering: offset / 16 is the x2APIC MSR minus 0x800. The interrupt command
 * register is one 64-bit MSR there, and two words in memory, written high word first. In memory
 * mode a destination has 8 bits, so CPUs with larger ids cannot be reached; smp_start_all() says
 * so.
 */
#include "arch/x86_64/apic.h"

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/io.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/trap.h"

#define MSR_APIC_BASE 0x1b
#define BASE_ENABLE   (1ul << 11)
#define BASE_X2APIC   (1ul << 10)
#define BASE_ADDRESS  0x000ffffffffff000ul
#define MSR_X2APIC    0x800

#define REG_TPR		  0x080
#define REG_EOI		  0x0b0
#define REG_SPURIOUS	  0x0f0
#define REG_ICR_LOW	  0x300
#define REG_ICR_HIGH	  0x310
#define REG_LVT_TIMER	  0x320
#define REG_LVT_LINT0	  0x350
#define REG_LVT_LINT1	  0x360
#define REG_LVT_ERROR	  0x370
#define REG_TIMER_INITIAL 0x380
#define REG_TIMER_CURRENT 0x390
#define REG_TIMER_DIVIDE  0x3e0

#define LVT_MASKED	 0x10000u
#define LVT_PERIODIC	 0x20000u
#define LVT_EXTINT	 0x700u
#define LVT_NMI		 0x400u
#define SPURIOUS_ENABLE	 0x100u
#define DIVIDE_16	 0x3u
#define ICR_NMI		 0x400u
#define ICR_INIT	 0x500u
#define ICR_STARTUP	 0x600u
#define ICR_PENDING	 0x1000u
#define ICR_ASSERT	 0x4000u
#define ICR_ALL_BUT_SELF 0xc0000u
#define ICR_WAIT	 1000000u /* reads; leaving takes microseconds */

static bool present, x2apic;
static volatile uint32_t *registers; /* memory mode */

static uint32_t read_reg(unsigned reg)
{
	return x2apic ? (uint32_t)read_msr(MSR_X2APIC + reg / 16) : registers[reg / 4];
}

static void write_reg(unsigned reg, uint32_t value)
{
	if (x2apic)
		write_msr(MSR_X2APIC + reg / 16, value);
	else
		registers[reg / 4] = value;
}

bool apic_present(void)
{
	return present;
}

bool apic_is_x2apic(void)
{
	return x2apic;
}

void apic_enable(bool boot_cpu)
{
	uint64_t base = read_msr(MSR_APIC_BASE) | BASE_ENABLE;

	write_msr(MSR_APIC_BASE, base);
	if (x2apic)
		write_msr(MSR_APIC_BASE, base | BASE_X2APIC);
	write_reg(REG_TPR, 0);
	write_reg(REG_LVT_TIMER, LVT_MASKED);
	write_reg(REG_LVT_ERROR, LVT_MASKED);
	write_reg(REG_LVT_LINT0, boot_cpu ? LVT_EXTINT : LVT_MASKED);
	write_reg(REG_LVT_LINT1, boot_cpu ? LVT_NMI : LVT_MASKED);
	write_reg(REG_TIMER_DIVIDE, DIVIDE_16);
	write_reg(REG_SPURIOUS, SPURIOUS_ENABLE | VECTOR_SPURIOUS);
}

bool apic_init(void)
{
	if (!cpu_features.lapic)
		return false;
	uint64_t base = read_msr(MSR_APIC_BASE);

	x2apic = cpu_features.x2apic || base & BASE_X2APIC;
	if (!x2apic) {
		registers = paging_map(base & BASE_ADDRESS, PAGE_SIZE, MAP_WRITE | MAP_DEVICE);
		if (!registers)
			return false;
	}
	present = true;
	apic_enable(true);
	return true;
}

void apic_end_of_interrupt(void)
{
	write_reg(REG_EOI, 0);
}

static void send(uint32_t apic_id, uint32_t command)
{
	if (!present)
		return;
	if (x2apic) {
		/* Unlike the memory access this one is not ordered behind earlier stores. */
		__asm__ volatile("mfence; lfence" : : : "memory");
		write_msr(MSR_X2APIC + REG_ICR_LOW / 16, (uint64_t)apic_id << 32 | command);
		return;
	}
	/* Two writes that belong together: an interrupt between them may send, too. */
	unsigned long flags = port_irq_save();

	for (unsigned i = 0; i < ICR_WAIT && read_reg(REG_ICR_LOW) & ICR_PENDING; i++)
		port_relax();
	write_reg(REG_ICR_HIGH, apic_id << 24);
	write_reg(REG_ICR_LOW, command);
	port_irq_restore(flags);
}

void apic_send(uint32_t apic_id, uint8_t vector)
{
	send(apic_id, ICR_ASSERT | vector);
}

void apic_send_nmi_others(void)
{
	send(0, ICR_ASSERT | ICR_ALL_BUT_SELF | ICR_NMI);
}

void apic_send_init(uint32_t apic_id)
{
	send(apic_id, ICR_ASSERT | ICR_INIT);
}

void apic_send_init_others(void)
{
	send(0, ICR_ASSERT | ICR_ALL_BUT_SELF | ICR_INIT);
}

void apic_send_startup(uint32_t apic_id, uint8_t page)
{
	send(apic_id, ICR_ASSERT | ICR_STARTUP | page);
}

void apic_timer_set(uint32_t count, bool periodic)
{
	write_reg(REG_LVT_TIMER, periodic && count ? LVT_PERIODIC | VECTOR_TIMER : LVT_MASKED);
	write_reg(REG_TIMER_INITIAL, count);
}

uint32_t apic_timer_left(void)
{
	return read_reg(REG_TIMER_CURRENT);
}
