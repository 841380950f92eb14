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

/// The process has a world now.
static TAKEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// What this thread's last panic said, and where.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Start the library in this process, which `oshrun`, another launcher (by PMI or PMIx) or nobody has started. Collective: each
/// process of the job calls it. Without a launcher the world has one PE.
///
/// What cannot be started ends the job, with one line that says why. From here on a panic on the thread that has the world ends the
/// job, naming the PE.
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

/// The world of the process is gone: there may be another.
pub(crate) fn left() {
    TAKEN.store(false, Relaxed);
}

/// Keep what panics say, beside what the program does with them.
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

/// What this thread's last panic said.
pub(crate) fn last_panic() -> String {
    LAST_PANIC.with(|last| last.borrow().clone())
}

/// What `#[ferrite::main]` calls.
#[doc(hidden)]
#[track_caller]
pub fn run<R: Outcome>(body: fn(&World) -> R) {
    let world = init();
    if let Some(error) = body(&world).error() {
        world.fail(1, &error);
    }
}
