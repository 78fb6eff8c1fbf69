/*
 * Instructions that C has no words for: ports, model-specific registers, control registers, CPUID,
 * TSC.
 */
#ifndef ARCH_IO_H
#define ARCH_IO_H

#include <stdint.h>

static inline uint8_t in8(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %w1, %b0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline uint32_t in32(uint16_t port)
{
	uint32_t value;

	__asm__ volatile("inl %w1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline uint16_t in16(uint16_t port)
{
	uint16_t value;

	__asm__ volatile("inw %w1, %w0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline void out8(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %b0, %w1" : : "a"(value), "Nd"(port));
}

static inline void out16(uint16_t port, uint16_t value)
{
	__asm__ volatile("outw %w0, %w1" : : "a"(value), "Nd"(port));
}

static inline void out32(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %w1" : : "a"(value), "Nd"(port));
}

static inline uint64_t read_msr(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return (uint64_t)high << 32 | low;
}

static inline void write_msr(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr"
			 :
			 : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
}

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

/*
 * All zero for a leaf above the CPU's highest, where hardware would answer with another leaf's
 * values.
 */
static inline struct cpuid read_cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid r = {0};
	uint32_t highest, b, c, d;

	__asm__ volatile("cpuid"
			 : "=a"(highest), "=b"(b), "=c"(c), "=d"(d)
			 : "a"(leaf & 0x80000000u), "c"(0));
	if (leaf <= highest)
		__asm__ volatile("cpuid"
				 : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
				 : "a"(leaf), "c"(subleaf));
	return r;
}

static inline uint64_t read_tsc(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

#define DEFINE_CONTROL_REGISTER(reg)                                                               \
	static inline uint64_t read_##reg(void)                                                    \
	{                                                                                          \
		uint64_t value;                                                                    \
		__asm__ volatile("movq %%" #reg ", %0" : "=r"(value));                             \
		return value;                                                                      \
	}                                                                                          \
	static inline void write_##reg(uint64_t value)                                             \
	{                                                                                          \
		__asm__ volatile("movq %0, %%" #reg : : "r"(value) : "memory");                    \
	}
DEFINE_CONTROL_REGISTER(cr0)
DEFINE_CONTROL_REGISTER(cr2)
DEFINE_CONTROL_REGISTER(cr3)
DEFINE_CONTROL_REGISTER(cr4)

#endif
