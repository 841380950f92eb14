//! Functions for programs that `oshcc --check` has instrumented. `launcher/share/lib/ferrite/check.c` calls them.

use crate::WORLD;
use core::ffi::{c_int, c_void};
use ferrite_tools::check::hooks::{self, Watched};

/// Register the program as instrumented. Return the description of the memory that is checked.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_instrumented() -> &'static Watched {
    hooks::program_is_instrumented();
    hooks::watched()
}

/// Record an access of memory by the instruction before `pc`.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_access(address: *const c_void, len: usize, flags: u32, pc: *const c_void) {
    hooks::access(&WORLD, address as usize, len, flags, pc as usize);
}

/// Leave the thread's clock at `key`: a thread that takes it there knows everything that this thread has done.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_leave(key: *const c_void) {
    hooks::leave(&WORLD, key as usize);
}

/// Take the clock that lies at `key`.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_take(key: *const c_void) {
    hooks::take(&WORLD, key as usize);
}

/// Begin a part of the program that another thread might have run as well, or, with 0, end the last part.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_part(begins: c_int) {
    hooks::part(&WORLD, begins != 0);
}

/// Forget the accesses of memory that is a new object from now on.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_forget(address: *const c_void, len: usize) {
    hooks::forget(&WORLD, address as usize, len);
}
