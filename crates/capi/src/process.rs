//! Hooks into the life of the process, which are installed when the library is loaded.

use crate::WORLD;
use core::ffi::{c_int, c_void};
use ferrite_runtime::Site;
use std::{panic, ptr};

unsafe extern "C" {
    /// glibc's sibling of `atexit` that says with which status the process ends.
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

static EXIT: Site = Site::of_c("exit");

/// Run by the loader, or by a static program's start-up code, before main; in a static program the number puts it before
/// the constructors of the program itself.
#[used]
#[unsafe(link_section = ".init_array.00101")]
static AT_LOAD: extern "C" fn() = at_load;

extern "C" fn at_load() {
    // SAFETY: the handler is a function of this library, which is not unloaded while the process exits. Registered
    // first, it runs after all handlers of the program. In a static program that is the moment; where there is a loader
    // `at_unload` comes first.
    unsafe { on_exit(at_exit, ptr::null_mut()) };
    ferrite_runtime::watch_main_thread();
    // Panics are mistakes of this library's own: the job must not go on, and must not hang.
    panic::set_hook(Box::new(|panic| WORLD.panicked(panic)));
}

/// Run when the loader takes the process's libraries apart: after all that the program has registered for its end, and before
/// the libraries that were opened at run time lose their state, since they came later and nothing of ours is a dependency of
/// theirs. A fabric's library must be whole while this PE says goodbye over it.
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
