/*
 * Serial console: see serial.h.
 *
 * Output is polled: at most FIFO_BYTES are pushed each time the transmitter says it is empty, and a
 * transmitter that stays busy for WAIT_POLLS reads of its status loses the rest. Input goes through
 * a ring that serial_receive() fills on the boot CPU with interrupts off and serial_read() empties.
 */
#include "arch/x86_64/serial.h"

#include <dolmen/port.h>
#include "arch/x86_64/io.h"

#define COM1 0x3f8
#define DATA (COM1 + 0) /* divisor low while LCR_DLAB */
#define IER  (COM1 + 1) /* divisor high while LCR_DLAB */
#define FCR  (COM1 + 2)
#define LCR  (COM1 + 3)
#define MCR  (COM1 + 4)
#define LSR  (COM1 + 5)

#define LCR_8N1	  0x03
#define LCR_DLAB  0x80
#define FCR_SETUP 0xc7 /* enable, clear both, interrupt at 14 bytes or when the line goes quiet */
#define MCR_LOOP  0x10
#define MCR_ON	  0x0b /* DTR, RTS, OUT2 (which gates the interrupt) */
#define IER_RX	  0x01
#define LSR_READY 0x01
#define LSR_EMPTY 0x20

#define FIFO_BYTES 16
#define RING_BYTES 1024
#define WAIT_POLLS 100000    /* a port read takes about 1 us: 16 bytes at 115200 need 1400 */
#define LOCK_SPINS 50000000u /* far beyond any line; then the holder is taken for dead */

#define LOCK_FREE 0u /* otherwise the holder's CPU + 1 */

static bool present;
static uint32_t lock;
static char ring[RING_BYTES];
static uint32_t ring_in,
	ring_out; /* free-running; in: the boot CPU's interrupts, out: the reader */

_Static_assert((RING_BYTES & (RING_BYTES - 1)) == 0, "free-running indices wrap");

static bool loopback_answers(uint8_t byte)
{
	out8(DATA, byte);
	for (unsigned i = 0; i < WAIT_POLLS; i++) {
		uint8_t status = in8(LSR);

		if (status == 0xff)
			return false;
		if (status & LSR_READY)
			return in8(DATA) == byte;
	}
	return false;
}

bool serial_init(void)
{
	out8(IER, 0);
	out8(LCR, LCR_DLAB);
	out8(DATA, 1); /* 115200 */
	out8(IER, 0);
	out8(LCR, LCR_8N1);
	out8(FCR, FCR_SETUP);
	out8(MCR, MCR_ON | MCR_LOOP);
	present = loopback_answers(0xae) && loopback_answers(0x51);
	out8(MCR, MCR_ON);
	return present;
}

/* False if the transmitter never came free. */
static bool wait_empty(void)
{
	for (unsigned i = 0; i < WAIT_POLLS; i++)
		if (in8(LSR) & LSR_EMPTY)
			return true;
	return false;
}

static void put_all(const char *text, size_t size_bytes)
{
	unsigned room = 0;
	bool after_cr = false;

	for (size_t i = 0; i < size_bytes;) {
		if (!room) {
			if (!wait_empty())
				return;
			room = FIFO_BYTES;
		}
		room--;
		if (text[i] == '\n' && !after_cr) {
			out8(DATA, '\r');
			after_cr = true;
			continue;
		}
		after_cr = false;
		out8(DATA, (uint8_t)text[i++]);
	}
}

void serial_write(const char *text, size_t size_bytes)
{
	if (!present)
		return;
	unsigned long flags = port_irq_save();
	uint32_t me = port_cpu() + 1, holder = LOCK_FREE;
	bool nested = port_load(&lock) == me; /* a fault or NMI inside this very function */

	for (uint32_t spins = 0; !nested && !port_cas(&lock, &holder, me); spins++) {
		if (spins == LOCK_SPINS)
			break;
		holder = LOCK_FREE;
		port_relax();
	}
	put_all(text, size_bytes);
	if (!nested)
		port_store_release(&lock, LOCK_FREE);
	port_irq_restore(flags);
}

void serial_take_over(void)
{
	port_store_release(&lock, port_cpu() + 1);
}

void serial_receive(void)
{
	if (!present)
		return;
	for (unsigned i = 0; i < RING_BYTES && in8(LSR) & LSR_READY; i++) {
		char byte = (char)in8(DATA);
		uint32_t in = port_load(&ring_in);

		if (in - port_load_acquire(&ring_out) == RING_BYTES)
			continue; /* nobody reads: the byte is lost */
		ring[in % RING_BYTES] = byte;
		port_store_release(&ring_in, in + 1);
	}
}

int serial_read(void)
{
	uint32_t out = port_load(&ring_out);

	if (port_load_acquire(&ring_in) == out)
		return -1;
	unsigned char byte = (unsigned char)ring[out % RING_BYTES];

	port_store_release(&ring_out, out + 1);
	return byte;
}

int serial_wait(void)
{
	for (;;) {
		__asm__ volatile("cli" : : : "memory");
		int byte = serial_read();
		if (byte >= 0) {
			__asm__ volatile("sti" : : : "memory");
			return byte;
		}
		/* sti takes effect after the next instruction: no byte can slip in between. */
		__asm__ volatile("sti; hlt" : : : "memory");
	}
}

void serial_enable_interrupt(void)
{
	if (present)
		out8(IER, IER_RX);
}
