/* What a port's fence waits for. */
#include "test/contract.h"

#define NR_FENCES     300
#define STRETCH_LOADS 2000

static struct {
	uint32_t number; /* odd: the other CPU is in a stretch that a fence must wait for */
	uint32_t stop;
} other;

static void go_in_and_out(void *unused)
{
	(void)unused;
	while (!port_load(&other.stop)) {
		unsigned long flags = port_irq_save();
		struct port_area *area = port_this_area_lock();

		port_store(&other.number, port_load(&other.number) + 1);
		for (unsigned i = 0; i < STRETCH_LOADS; i++)
			(void)port_load(&other.stop);
		port_store(&other.number, port_load(&other.number) + 1);
		port_area_unlock(area);
		port_irq_restore(flags);
	}
}

CONTRACT("a fence returns when the other CPU has ended what it was in, and its stores can be seen",
	"port_window_fence() returns at once")
{
	unsigned nr_inside = 0;

	if (test_nr_cpus() < 2) {
		contract_skip("one CPU");
		return;
	}
	other.number = other.stop = 0;
	test_start_on(1, go_in_and_out, NULL);
	while (nr_inside < NR_FENCES) {
		uint32_t before = port_load(&other.number), after;

		port_window_fence(1);
		after = port_load(&other.number);
		nr_inside += before & 1;
		CHECK(!(before & 1) || after != before, "still in stretch %u", before);
	}
	port_store(&other.stop, 1u);
	test_wait_for(1);
	port_window_fence(0);
}
