/*
 * The line editor of the serial console: printable characters, backspace, Ctrl-U (forget the line),
 * Ctrl-W (forget a word), Ctrl-C (leave the line), and the last lines again with the up and down
 * arrows. Everything happens at the line's end: no cursor moves, so that it works on the dumbest
 * terminal.
 *
 * One reader, the boot CPU. Between bytes it sleeps in hlt: the UART's interrupt or the timer wakes
 * it.
 */
#include "kernel/console.h"

#include <dolmen/port.h>
#include "arch/x86_64/serial.h"
#include "lib/string.h"

#define HISTORY 8

#define KEY_UP	 0x100
#define KEY_DOWN 0x101

#define CTRL(letter) ((letter)&0x1f)

static char history[HISTORY][CONSOLE_LINE_BYTES];
static unsigned history_end; /* lines ever stored */

/* A byte, or an arrow key; other escape sequences are eaten. */
static int read_key(void)
{
	int byte = serial_wait();

	if (byte != 0x1b)
		return byte;
	if (serial_wait() != '[')
		return 0;
	do
		byte = serial_wait();
	while (byte < 0x40 || byte > 0x7e);
	return byte == 'A' ? KEY_UP : byte == 'B' ? KEY_DOWN : 0;
}

static void erase(char *line, size_t *length, size_t to)
{
	for (; *length > to; --*length)
		serial_write("\b \b", 3);
	line[*length] = '\0';
}

static void type(char *line, size_t *length, const char *text)
{
	size_t bytes = strlen(text);

	if (*length + bytes >= CONSOLE_LINE_BYTES)
		return;
	memcpy(line + *length, text, bytes + 1);
	*length += bytes;
	serial_write(text, bytes);
}

/* Shows the line `back` lines ago; 0 is the empty one. */
static void recall(char *line, size_t *length, unsigned back)
{
	erase(line, length, 0);
	if (back)
		type(line, length, history[(history_end - back) % HISTORY]);
}

static void remember(const char *line)
{
	if (!*line || (history_end && !strcmp(line, history[(history_end - 1) % HISTORY])))
		return;
	memcpy(history[history_end++ % HISTORY], line, CONSOLE_LINE_BYTES);
}

void console_read_line(const char *prompt, char line[CONSOLE_LINE_BYTES])
{
	size_t length = 0;
	unsigned back = 0, stored = history_end < HISTORY ? history_end : HISTORY;

	memset(line, 0, CONSOLE_LINE_BYTES);
	console_print("%s", prompt);
	for (;;) {
		int key = read_key();
		size_t word = length;

		switch (key) {
		case '\r':
		case '\n':
			console_print("\n");
			remember(line);
			return;
		case '\b':
		case 0x7f:
			erase(line, &length, length ? length - 1 : 0);
			break;
		case CTRL('U'):
			erase(line, &length, 0);
			break;
		case CTRL('W'):
			while (word && line[word - 1] == ' ')
				word--;
			while (word && line[word - 1] != ' ')
				word--;
			erase(line, &length, word);
			break;
		case CTRL('C'):
			console_print("^C\n%s", prompt);
			line[length = 0] = '\0';
			break;
		case KEY_UP:
			back += back < stored;
			recall(line, &length, back);
			break;
		case KEY_DOWN:
			back -= back > 0;
			recall(line, &length, back);
			break;
		default:
			if (key >= ' ' && key <= '~')
				type(line, &length, (char[]){(char)key, '\0'});
		}
	}
}
