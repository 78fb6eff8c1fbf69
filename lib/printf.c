/*
 * Formatted text: see lib/printf.h. One pass, one character at a time through put(), which counts
 * all and stores what fits, so that a text too long is cut and never overruns.
 */
#include "lib/printf.h"

#include <stdbool.h>

struct out {
	char *buf;
	size_t size_bytes;
	size_t length; /* of the whole text, stored or not */
};

/* One conversion, as its text between % and the letter says. */
struct spec {
	unsigned width;
	unsigned precision; /* valid if has_precision */
	bool has_precision;
	bool left;
	bool zeros;
	unsigned longs; /* 0: int, 1: long, size_t, 2: long long */
};

#define MAX_FIELD 4096 /* a wild width must not keep the caller for long */

static void put(struct out *out, char c)
{
	if (out->length + 1 < out->size_bytes)
		out->buf[out->length] = c;
	out->length++;
}

static void pad(struct out *out, char c, unsigned count)
{
	while (count--)
		put(out, c);
}

static unsigned bounded(uint64_t value)
{
	return value < MAX_FIELD ? (unsigned)value : MAX_FIELD;
}

/* Digits at *format, or an argument for '*'. */
static int read_number(const char **format, va_list *args)
{
	if (**format == '*') {
		++*format;
		return va_arg(*args, int);
	}
	unsigned value = 0;
	while (**format >= '0' && **format <= '9')
		value = bounded(value * 10ull + (unsigned)(*(*format)++ - '0'));
	return (int)value;
}

static struct spec read_spec(const char **format, va_list *args)
{
	struct spec spec = {0};

	for (;; ++*format) {
		if (**format == '-')
			spec.left = true;
		else if (**format == '0')
			spec.zeros = true;
		else
			break;
	}
	int width = read_number(format, args);
	if (width < 0)
		spec.left = true;
	spec.width = bounded(width < 0 ? 0ull - (unsigned long long)width : (unsigned)width);
	if (**format == '.') {
		++*format;
		int precision = read_number(format, args);
		spec.has_precision = precision >= 0; /* negative: as if absent */
		spec.precision = precision >= 0 ? bounded((unsigned)precision) : 0;
	}
	for (; **format == 'l' || **format == 'z'; ++*format)
		spec.longs++;
	return spec;
}

static void put_text(struct out *out, struct spec spec, const char *text)
{
	unsigned length = 0;

	if (!text)
		text = "(null)";
	while ((!spec.has_precision || length < spec.precision) && text[length])
		length++;
	unsigned padding = spec.width > length ? spec.width - length : 0;
	pad(out, ' ', spec.left ? 0 : padding);
	for (unsigned i = 0; i < length; i++)
		put(out, text[i]);
	pad(out, ' ', spec.left ? padding : 0);
}

static void put_number(struct out *out, struct spec spec, uint64_t value, const char *prefix,
	unsigned base, const char *digits)
{
	char reversed[20]; /* 2^64 has 20 decimal digits */
	unsigned length = 0, prefix_length = 0;

	while (prefix[prefix_length])
		prefix_length++;
	for (; value; value /= base)
		reversed[length++] = digits[value % base];
	unsigned least = spec.has_precision ? spec.precision : 1;
	unsigned zeros = least > length ? least - length : 0;
	unsigned used = prefix_length + zeros + length;
	unsigned padding = spec.width > used ? spec.width - used : 0;

	if (spec.zeros && !spec.left && !spec.has_precision) {
		zeros += padding;
		padding = 0;
	}
	pad(out, ' ', spec.left ? 0 : padding);
	while (*prefix)
		put(out, *prefix++);
	pad(out, '0', zeros);
	while (length)
		put(out, reversed[--length]);
	pad(out, ' ', spec.left ? padding : 0);
}

static void put_signed(struct out *out, struct spec spec, va_list *args)
{
	int64_t value = spec.longs ? va_arg(*args, long) : va_arg(*args, int);
	uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	put_number(out, spec, magnitude, value < 0 ? "-" : "", 10, "0123456789");
}

_Static_assert(sizeof(long) == sizeof(long long) && sizeof(long) == sizeof(size_t),
	"every length above int is read as a long");

static uint64_t unsigned_arg(struct spec spec, va_list *args)
{
	return spec.longs ? va_arg(*args, unsigned long) : va_arg(*args, unsigned);
}

/* The conversion that begins after the '%' at *format; leaves *format after it. */
static void convert(struct out *out, const char **format, va_list *args)
{
	const char *begin = *format;
	struct spec spec = read_spec(format, args);

	switch (**format) {
	case 'd':
	case 'i':
		put_signed(out, spec, args);
		break;
	case 'u':
		put_number(out, spec, unsigned_arg(spec, args), "", 10, "0123456789");
		break;
	case 'x':
		put_number(out, spec, unsigned_arg(spec, args), "", 16, "0123456789abcdef");
		break;
	case 'X':
		put_number(out, spec, unsigned_arg(spec, args), "", 16, "0123456789ABCDEF");
		break;
	case 'p':
		put_number(
			out, spec, (uintptr_t)va_arg(*args, void *), "0x", 16, "0123456789abcdef");
		break;
	case 's':
		put_text(out, spec, va_arg(*args, const char *));
		break;
	case 'c': {
		char text[2] = {(char)va_arg(*args, int), 0};

		put_text(out, spec, text);
		break;
	}
	case '%':
		put(out, '%');
		break;
	default:
		put(out, '%');
		*format = begin;
		return;
	}
	++*format;
}

size_t format_args(char *buf, size_t size_bytes, const char *format, va_list args)
{
	struct out out = {.buf = buf, .size_bytes = size_bytes};
	va_list copy; /* an array parameter cannot be passed by address */

	va_copy(copy, args);
	while (*format) {
		char c = *format++;

		if (c == '%')
			convert(&out, &format, &copy);
		else
			put(&out, c);
	}
	va_end(copy);
	if (size_bytes)
		buf[out.length < size_bytes ? out.length : size_bytes - 1] = 0;
	return out.length;
}

size_t format_text(char *buf, size_t size_bytes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	size_t length = format_args(buf, size_bytes, format, args);
	va_end(args);
	return length;
}

const char *format_bytes(char *buf, size_t size_bytes, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	unsigned unit = 0;

	if (bytes < 1024) {
		format_text(buf, size_bytes, "%u B", (unsigned)bytes);
		return buf;
	}
	while (unit + 1 < sizeof(units) - 1 && bytes >> (10 * (unit + 2)))
		unit++;

	uint64_t one = 1ull << (10 * (unit + 1));
	uint64_t whole = bytes / one, tenths = (bytes % one * 10 + one / 2) / one;
	if (tenths == 10) {
		whole++;
		tenths = 0;
	}
	if (whole == 1024 && unit + 1 < sizeof(units) - 1) {
		whole = 1;
		unit++;
	}
	format_text(buf, size_bytes, "%lu.%lu %ciB", whole, tenths, units[unit]);
	return buf;
}
