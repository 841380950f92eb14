//! The one world of a process.

use crate::{World, local::Outcome, world::INIT};
use core::{
    cell::RefCell,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};
use ferrite_bootstrap::Boot;
use ferrite_fabric::Error;
use ferrite_runtime::{self as rt, settings::Settings};
use std::{
    panic,
    sync::{Arc, Once, OnceLock},
};

/// True while the process has a world.
static TAKEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Message and location of this thread's last panic.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Start the library in this process, whether `oshrun` or another launcher (through PMI or PMIx) started it, or none did. Collective: each
/// process of the job calls it. Without a launcher the world has one PE.
///
/// If the library cannot start, the job ends with one line that gives the reason. From here on, a panic on the thread that has the world
/// ends the job, naming the PE.
///
/// ```
/// let world = ferrite::init();
/// println!("PE {} of {}", world.my_pe(), world.n_pes());
/// ```
///
/// # Panics
/// If this process has a world already.
#[track_caller]
pub fn init() -> World {
    static BOOT: OnceLock<Arc<dyn Boot>> = OnceLock::new();
    assert!(!TAKEN.swap(true, Relaxed), "ferrite::init: this process has its World already");
    remember_panics();
    rt::watch_mistakes();
    let failed = |error: Error| -> ! { rt::World::new().init_failed(&INIT, &error) };
    let settings = Settings::from_environment().unwrap_or_else(|error| failed(error));
    let boot = BOOT.get_or_init(|| ferrite_bootstrap::detect().unwrap_or_else(|error| failed(error))).clone();
    World::start(boot, settings, None, true).unwrap_or_else(|error| failed(error))
}

/// The process's world has ended; `init` may be called again.
pub(crate) fn left() {
    TAKEN.store(false, Relaxed);
}

/// Record the messages of panics, in addition to the program's own hook.
fn remember_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            LAST_PANIC.with(|last| *last.borrow_mut() = panic.to_string().replace('\n', " "));
            before(panic);
        }));
    });
}

/// Message and location of this thread's last panic.
pub(crate) fn last_panic() -> String {
    LAST_PANIC.with(|last| last.borrow().clone())
}

/// Entry point of `#[ferrite::main]`.
#[doc(hidden)]
#[track_caller]
pub fn run<R: Outcome>(body: fn(&World) -> R) {
    let world = init();
    if let Some(error) = body(&world).error() {
        world.fail(1, &error);
    }
}
