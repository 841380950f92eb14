//! Functions for programs that `oshcc --check` has instrumented. `launcher/share/lib/ferrite/check.c` calls them.

use crate::WORLD;
use core::ffi::{c_int, c_void};
use ferrite_runtime::check::Watched;

/// Register the program as instrumented. Return the description of the memory that is checked.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_instrumented() -> &'static Watched {
    ferrite_runtime::check::program_is_instrumented();
    ferrite_runtime::check::watched()
}

/// Record an access of memory by the instruction before `pc`.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_access(address: *const c_void, len: usize, flags: u32, pc: *const c_void) {
    WORLD.check_access(address as usize, len, flags, pc as usize);
}

/// Leave the thread's clock at `key`: a thread that takes it there knows everything that this thread has done.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_leave(key: *const c_void) {
    WORLD.check_leave(key as usize);
}

/// Take the clock that lies at `key`.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_take(key: *const c_void) {
    WORLD.check_take(key as usize);
}

/// Begin a part of the program that another thread might have run as well, or, with 0, end the last part.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_part(begins: c_int) {
    WORLD.check_part(begins != 0);
}

/// Forget the accesses of memory that is a new object from now on.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_forget(address: *const c_void, len: usize) {
    WORLD.check_forget(address as usize, len);
}
