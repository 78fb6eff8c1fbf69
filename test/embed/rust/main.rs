//! (d) A kernel in Rust, without std: `Box`, `Vec`, `BTreeMap`, `Arc` by a `GlobalAlloc` of the library.
// Before 1.68 what happens when memory runs out was a feature to choose.
#![cfg_attr(rustc_before_1_68, feature(default_alloc_error_handler))]
#![no_std]
#![no_main]

extern crate alloc;

use alloc::{boxed::Box, collections::BTreeMap, format, string::String, sync::Arc, vec::Vec};
use core::alloc::{GlobalAlloc, Layout};
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

// ---- the glue ----

extern "C" {
    fn dolmen_kmalloc_aligned(size_bytes: usize, align_bytes: usize, gfp: u32) -> *mut c_void;
    fn dolmen_kmalloc_var(size_bytes: usize, gfp: u32) -> *mut c_void;
    fn dolmen_krealloc(object: *mut c_void, size_bytes: usize, gfp: u32) -> *mut c_void;
    fn dolmen_kfree(object: *const c_void);
    static rust_gfp_kernel: u32; // GFP_KERNEL and __GFP_ZERO, which are macros to C
    static rust_gfp_zero: u32;
}

/// What kmalloc() aligns to by itself from this size on.
const USUAL_ALIGN: usize = 16;

struct Dolmen;

impl Dolmen {
    unsafe fn allocate(layout: Layout, gfp: u32) -> *mut u8 {
        if layout.align() <= USUAL_ALIGN && layout.align() <= layout.size() {
            dolmen_kmalloc_var(layout.size(), gfp).cast()
        } else {
            dolmen_kmalloc_aligned(layout.size(), layout.align(), gfp).cast()
        }
    }
}

unsafe impl GlobalAlloc for Dolmen {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::allocate(layout, rust_gfp_kernel)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::allocate(layout, rust_gfp_kernel | rust_gfp_zero)
    }

    unsafe fn dealloc(&self, object: *mut u8, _layout: Layout) {
        dolmen_kfree(object.cast())
    }

    unsafe fn realloc(&self, object: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if layout.align() <= USUAL_ALIGN && layout.align() <= new_size {
            return dolmen_krealloc(object.cast(), new_size, rust_gfp_kernel).cast();
        }
        let new = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
        if !new.is_null() {
            core::ptr::copy_nonoverlapping(object, new, layout.size().min(new_size));
            self.dealloc(object, layout);
        }
        new
    }
}

#[global_allocator]
static DOLMEN: Dolmen = Dolmen;

// ---- the kernel around it ----

extern "C" {
    fn glue_start(info: *const c_void) -> bool;
    fn port_check_expect(holds: bool, what: *const u8);
    fn port_check() -> bool;
    fn small_write(text: *const u8, length: usize);
    fn small_exit(success: bool) -> !;
    fn port_check_run_on_all(work: extern "C" fn(*mut c_void), arg: *mut c_void);
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    struct Serial;
    impl core::fmt::Write for Serial {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            unsafe { small_write(text.as_ptr(), text.len()) };
            Ok(())
        }
    }
    let _ = core::fmt::Write::write_fmt(&mut Serial, format_args!("rust: {info}\n"));
    unsafe { small_exit(false) }
}

// The compiled core and alloc name these for unwinding, which `panic=abort` never does.
#[no_mangle]
extern "C" fn rust_eh_personality() {}
#[no_mangle]
extern "C" fn _Unwind_Resume() -> ! {
    unsafe { small_exit(false) }
}

// ---- what a kernel would do with it ----

fn collections_grow() -> bool {
    let mut numbers: Vec<u64> = Vec::new();
    let mut names: BTreeMap<u64, String> = BTreeMap::new();
    for i in 0..20_000u64 {
        numbers.push(i * i);
        if i % 10 == 0 {
            names.insert(i * 7919 % 20_011, format!("number {i}"));
        }
    }
    let sum: u64 = numbers.iter().sum();
    let in_order = names.keys().zip(names.keys().skip(1)).all(|(a, b)| a < b);
    names.retain(|key, _| key % 2 == 0);
    sum == (0..20_000u64).map(|i| i * i).sum() && in_order && names.values().all(|name| name.starts_with("number "))
}

fn alignment_is_honoured() -> bool {
    #[repr(align(64))]
    struct Line([u8; 3]);
    #[repr(align(4096))]
    struct Page(u8);
    let mut lines: Vec<Line> = Vec::new();
    (0..100).for_each(|i| lines.push(Line([i; 3])));
    let (page, small) = (Box::new(Page(7)), Box::new(9u128));
    let aligned = |address: usize, to: usize| address % to == 0;
    aligned(lines.as_ptr() as usize, 64)
        && aligned(&*page as *const Page as usize, 4096)
        && aligned(&*small as *const u128 as usize, 16)
        && lines.iter().enumerate().all(|(i, line)| line.0 == [i as u8; 3])
        && (page.0, *small) == (7, 9)
}

fn zeroed_is_zero() -> bool {
    (1..60).all(|i| alloc::vec![0u8; i * i * 7].iter().all(|&byte| byte == 0))
}

fn too_much_is_an_error() -> bool {
    Vec::<u8>::new().try_reserve(1 << 40).is_err()
}

static GOOD: AtomicBool = AtomicBool::new(true);

/// On each CPU: the last one to let go of the Arc frees it.
extern "C" fn share(arg: *mut c_void) {
    let shared = unsafe { &*(arg as *const Arc<AtomicUsize>) };
    let clones: Vec<_> = (0..1000).map(|_| Arc::clone(shared)).collect();
    clones.iter().for_each(|one| { one.fetch_add(1, Ordering::Relaxed); });
    if !collections_grow() {
        GOOD.store(false, Ordering::Relaxed);
    }
}

fn all_cpus_share() -> bool {
    let shared = Arc::new(AtomicUsize::new(0));
    unsafe { port_check_run_on_all(share, &shared as *const _ as *mut c_void) };
    GOOD.load(Ordering::Relaxed) && shared.load(Ordering::Relaxed) % 1000 == 0 && Arc::strong_count(&shared) == 1
}

#[no_mangle]
extern "C" fn small_main(info: *const c_void) -> bool {
    unsafe {
        if !glue_start(info) {
            return false;
        }
        port_check_expect(collections_grow(), b"vectors, maps and strings grow and shrink\0".as_ptr());
        port_check_expect(alignment_is_honoured(), b"a type's alignment is honoured, also when a vector grows\0".as_ptr());
        port_check_expect(zeroed_is_zero(), b"zeroed memory is zero\0".as_ptr());
        port_check_expect(too_much_is_an_error(), b"too much is an error, no panic\0".as_ptr());
        port_check_expect(all_cpus_share(), b"all CPUs allocate, and share what one of them frees\0".as_ptr());
        port_check()
    }
}
