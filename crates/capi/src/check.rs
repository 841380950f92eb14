//! What programs call that `oshcc --check` has instrumented. `launcher/share/lib/ferrite/check.c` is what calls it.

use crate::WORLD;
use core::ffi::{c_int, c_void};
use ferrite_runtime::check::Watched;

/// The program is instrumented. Gives what says which memory is looked at.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_instrumented() -> &'static Watched {
    ferrite_runtime::check::program_is_instrumented();
    ferrite_runtime::check::watched()
}

/// It accesses memory, at the instruction before `pc`.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_access(address: *const c_void, len: usize, flags: u32, pc: *const c_void) {
    WORLD.check_access(address as usize, len, flags, pc as usize);
}

/// What its thread has done is known to whoever takes what lies at `key`.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_leave(key: *const c_void) {
    WORLD.check_leave(key as usize);
}

/// The thread takes what lies at `key`.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_take(key: *const c_void) {
    WORLD.check_take(key as usize);
}

/// The thread begins a part of the program that another thread might have run as well, or, with 0, has run the last.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_part(begins: c_int) {
    WORLD.check_part(begins != 0);
}

/// Memory is another object from now on.
#[unsafe(no_mangle)]
extern "C" fn ferrite_check_forget(address: *const c_void, len: usize) {
    WORLD.check_forget(address as usize, len);
}
