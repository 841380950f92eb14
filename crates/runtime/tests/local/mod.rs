//! Worlds whose PEs are threads of the test.

use ferrite_runtime::{Plan, Site, World, settings::Settings};
use std::{ffi::c_int, process, thread};

/// Where these worlds begin and end.
static SITE: Site = Site { name: "a world of threads" };

/// Run `body` on each of `n` PEs of a world of their own.
pub fn world_of(n: u32, body: impl Fn(&World, c_int) + Sync) {
    thread::scope(|scope| {
        for boot in ferrite_bootstrap::threads(n) {
            let body = &body;
            scope.spawn(move || {
                let _fail = FailAtOnce;
                let world = World::new();
                let me = boot.me().0 as c_int;
                let settings = Settings::default();
                world.start(Plan { boot, settings, process_wide: false }).expect("a world of threads starts");
                body(&world, me);
                world.finalize(&SITE);
            });
        }
    });
}

/// A PE whose assertion fails would leave the others in a barrier for ever, and the test with them.
pub struct FailAtOnce;

impl Drop for FailAtOnce {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("a PE of {:?} has failed; the others wait for it, and are ended", thread::current().name());
            process::abort();
        }
    }
}
