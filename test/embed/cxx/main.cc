/*
 * (c) A kernel in C++: operator new and delete in all their forms, without exceptions.
 */
#include <cstddef>
#include <cstdint>
#include <new>

#include <dolmen/port.h>
#include <dolmen/slab.h>

#include "test/port_check.h"
#include "test/embed/multiboot2/glue.h"
#include "test/embed/small/small.h"

extern "C" {
}

/* ---- the glue ---- */

namespace std
{
const nothrow_t nothrow{};
}

/* C++ wants a pointer of its own for 0 bytes too; kmalloc's is one for all. */
static void *allocate(std::size_t size_bytes, std::size_t align_bytes) noexcept
{
	return kmalloc_aligned(size_bytes ? size_bytes : 1, align_bytes, GFP_KERNEL);
}

static void *allocate_or_end(std::size_t size_bytes, std::size_t align_bytes)
{
	void *object = allocate(size_bytes, align_bytes);

	if (!object)
		port_panic("operator new: no memory"); /* there are no exceptions to throw */
	return object;
}

constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

/* clang-format off */
void *operator new(std::size_t n) { return allocate_or_end(n, usual); }
void *operator new[](std::size_t n) { return allocate_or_end(n, usual); }
void *operator new(std::size_t n, std::align_val_t a) { return allocate_or_end(n, std::size_t(a)); }
void *operator new[](std::size_t n, std::align_val_t a) { return allocate_or_end(n, std::size_t(a)); }
void *operator new(std::size_t n, const std::nothrow_t &) noexcept { return allocate(n, usual); }
void *operator new[](std::size_t n, const std::nothrow_t &) noexcept { return allocate(n, usual); }
void *operator new(std::size_t n, std::align_val_t a, const std::nothrow_t &) noexcept { return allocate(n, std::size_t(a)); }
void *operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t &) noexcept { return allocate(n, std::size_t(a)); }

void operator delete(void *p) noexcept { kfree(p); }
void operator delete[](void *p) noexcept { kfree(p); }
void operator delete(void *p, std::size_t) noexcept { kfree(p); }
void operator delete[](void *p, std::size_t) noexcept { kfree(p); }
void operator delete(void *p, std::align_val_t) noexcept { kfree(p); }
void operator delete[](void *p, std::align_val_t) noexcept { kfree(p); }
void operator delete(void *p, std::size_t, std::align_val_t) noexcept { kfree(p); }
void operator delete[](void *p, std::size_t, std::align_val_t) noexcept { kfree(p); }
void operator delete(void *p, const std::nothrow_t &) noexcept { kfree(p); }
void operator delete[](void *p, const std::nothrow_t &) noexcept { kfree(p); }
/* clang-format on */

extern "C" void __cxa_pure_virtual()
{
	port_panic("a pure virtual function was called");
}

/* ---- what a kernel would do with it ---- */

namespace
{
unsigned live;

struct Shape {
	Shape() { __atomic_fetch_add(&live, 1, __ATOMIC_RELAXED); }
	virtual ~Shape() { __atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED); }
	virtual unsigned corners() const = 0;
};
struct Triangle : Shape {
	unsigned corners() const override { return 3; }
};
struct Square : Shape {
	unsigned corners() const override { return 4; }
	char padding[500];
};
template <std::size_t Align> struct alignas(Align) Aligned {
	unsigned char bytes[Align + 1];
};

template <std::size_t Align> bool is_aligned()
{
	auto *one = new Aligned<Align>;
	auto *many = new Aligned<Align>[5];
	auto *quiet = new (std::nothrow) Aligned<Align>;
	bool good = ((std::uintptr_t(one) | std::uintptr_t(many) | std::uintptr_t(quiet)) %
			    Align) == 0;

	delete one;
	delete[] many;
	delete quiet;
	return good;
}

bool shapes_live_and_die()
{
	unsigned corners = 0;
	Shape **shapes = new Shape *[100];

	for (unsigned i = 0; i < 100; i++)
		shapes[i] = i % 2 ? static_cast<Shape *>(new Square) : new Triangle;
	for (unsigned i = 0; i < 100; i++) {
		corners += shapes[i]->corners();
		delete shapes[i];
	}
	delete[] shapes;
	return corners == 350;
}

void shapes_on_a_cpu(void *good)
{
	for (unsigned i = 0; i < 100; i++)
		if (!shapes_live_and_die())
			*static_cast<bool *>(good) = false;
}

bool shapes_on_all_cpus()
{
	bool good = true;

	port_check_run_on_all(shapes_on_a_cpu, &good);
	return good && live == 0;
}

bool empty_arrays_differ()
{
	char *a = new char[0], *b = new char[0];
	bool good = a && b && a != b;

	delete[] a;
	delete[] b;
	return good;
}

bool too_much_is_null()
{
	volatile std::size_t absurd = std::size_t(1) << 40;
	char *block = new (std::nothrow) char[absurd];
	bool good = !block;

	delete[] block;
	return good;
}
} // namespace

bool small_main(const void *info)
{
	if (!glue_start(info))
		return false;
	port_check_expect(shapes_on_all_cpus(), "objects of classes live and die on all CPUs");
	port_check_expect(is_aligned<16>() && is_aligned<64>() && is_aligned<256>() && is_aligned<4096>(),
		"new honours the alignment of a type");
	port_check_expect(empty_arrays_differ(), "empty arrays have addresses of their own");
	port_check_expect(too_much_is_null(), "nothrow new gives NULL for too much");
	return port_check();
}
