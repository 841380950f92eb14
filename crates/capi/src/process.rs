//! Hooks that run when the process starts and ends, installed when the library is loaded.

use crate::WORLD;
use core::ffi::{c_int, c_void};
use ferrite_runtime::Site;
use std::{panic, ptr};

unsafe extern "C" {
    /// A function of glibc like `atexit`; its handler also receives the exit status.
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

static EXIT: Site = Site::of_c("exit");

/// Run by the loader, or by a static program's start-up code, before main. In a static program the number in the section's name places it
/// before the constructors of the program itself.
#[used]
#[unsafe(link_section = ".init_array.00101")]
static AT_LOAD: extern "C" fn() = at_load;

extern "C" fn at_load() {
    // SAFETY: the handler is a function of this library, which is not unloaded while the process exits. It is registered first, so it runs
    // after all handlers of the program. In a static program that is the time to finish; with a loader, `at_unload` runs before.
    unsafe { on_exit(at_exit, ptr::null_mut()) };
    ferrite_runtime::watch_main_thread();
    // A panic is a bug of this library: the job must neither go on nor hang.
    panic::set_hook(Box::new(|panic| WORLD.panicked(panic)));
}

/// Run when the loader finalizes the process's libraries: after all exit handlers of the program, and before the libraries that were opened
/// at run time lose their state. Those came later, and no library of Ferrite is a dependency of theirs. A fabric's library must be intact
/// while this PE says goodbye over it.
#[used]
#[unsafe(link_section = ".fini_array.00101")]
static AT_UNLOAD: extern "C" fn() = at_unload;

extern "C" fn at_unload() {
    WORLD.at_unload(&EXIT);
}

extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    WORLD.at_exit(&EXIT, status);
    WORLD.at_last(status);
}
