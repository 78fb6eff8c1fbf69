/*
 * Restartable windows: plain loads and stores on this CPU's area, from 1: to 2:. An interrupt that
 * lands behind the first instruction and before the end of the last one returns to the first: see
 * trap_restart_window(). So a window
 *	- changes none of its inputs, and computes all of its outputs anew,
 *	- loads the stack's address and its count inside,
 *	- commits by one store, its last instruction; what it stored before lies beyond the count.
 * Leaving early, through a jump, commits nothing.
 */
#ifndef PORT_WINDOWS_H
#define PORT_WINDOWS_H

#define PORT_HAS_WINDOWS 1

/* Where a window starts and ends, each relative to the place where it is noted. */
#define PORT_WINDOW_NOTE                                                                           \
	".pushsection dolmen_windows, \"a\"\n\t"                                                   \
	".long 1b - ., 2b - .\n\t"                                                                 \
	".popsection\n\t"

/* sl_stack is at the slot's offset, sl_home 8 behind it; ps_count, ps_max, ps_item at 0, 4, 8. */
#define PORT_WINDOW_POP                                                                            \
	"movq %%gs:(%q[offset]), %[stack]\n\t"                                                     \
	"movl (%[stack]), %k[count]\n\t"                                                           \
	"subl $1, %k[count]\n\t"                                                                   \
	"jc %l[none]\n\t"                                                                          \
	"movq 8(%[stack], %[count], 8), %[item]\n\t"                                               \
	"movl %k[count], (%[stack])\n\t"

static inline __attribute__((always_inline)) void *port_slot_pop(uint32_t offset)
{
	struct port_stack *stack;
	uint64_t count;
	void *item;

	__asm__ volatile goto("1:\n\t" PORT_WINDOW_POP "2:\n\t" PORT_WINDOW_NOTE
			      : [stack] "=&r"(stack), [count] "=&r"(count), [item] "=&a"(item)
			      : [offset] "r"((uint64_t)offset)
			      : "memory", "cc"
			      : none);
	if (!item) /* so that a caller's test of the result costs nothing */
		__builtin_unreachable();
	return item;
none:
	return NULL;
}

static inline __attribute__((always_inline)) void *port_slot_pop_home(
	uint32_t offset, uint16_t home)
{
	struct port_stack *stack;
	uint64_t count;
	void *item;

	__asm__ volatile goto("1:\n\t"
			      "cmpw %%gs:8(%q[offset]), %w[home]\n\t"
			      "jne %l[none]\n\t" PORT_WINDOW_POP "2:\n\t" PORT_WINDOW_NOTE
			      : [stack] "=&r"(stack), [count] "=&r"(count), [item] "=&a"(item)
			      : [offset] "r"((uint64_t)offset), [home] "r"(home)
			      : "memory", "cc"
			      : none);
	if (!item)
		__builtin_unreachable();
	return item;
none:
	return NULL;
}

static inline __attribute__((always_inline)) bool port_slot_push(
	uint32_t offset, void *item, uint16_t home)
{
	struct port_stack *stack;
	uint64_t count;

	__asm__ volatile goto("1:\n\t"
			      "cmpw %%gs:8(%q[offset]), %w[home]\n\t"
			      "jne %l[refused]\n\t"
			      "movq %%gs:(%q[offset]), %[stack]\n\t"
			      "movl (%[stack]), %k[count]\n\t"
			      "cmpl 4(%[stack]), %k[count]\n\t"
			      "jae %l[refused]\n\t"
			      "movq %[item], 8(%[stack], %[count], 8)\n\t"
			      "addl $1, (%[stack])\n\t"
			      "2:\n\t" PORT_WINDOW_NOTE
			      : [stack] "=&r"(stack), [count] "=&r"(count)
			      : [offset] "r"((uint64_t)offset), [item] "r"(item), [home] "r"(home)
			      : "memory", "cc"
			      : refused);
	return true;
refused:
	return false;
}

#endif
