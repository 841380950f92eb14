//! Worlds whose PEs are threads of the test.

use ferrite_bootstrap::NodeMap;
use ferrite_runtime::{
    Site, StartOptions, World,
    settings::{Settings, Waiting},
};
use std::{ffi::c_int, process, thread};

/// Where these worlds begin and end.
static SITE: Site = Site::of_c("a world of threads");

/// Run `body` on each of `n` PEs of a world on one node.
#[allow(dead_code, reason = "not every test program has such a test")]
pub fn world_of(n: u32, body: impl Fn(&World, c_int) + Sync) {
    world_on(NodeMap::one(n), body);
}

/// Run `body` on each of `n` PEs of worlds of their own: on one node; on nodes of two; dealt to two nodes in turn; and, few enough
/// that their threads have a chance, on nodes of their own.
#[allow(dead_code, reason = "not every test program is about several nodes")]
pub fn worlds_of(n: u32, body: impl Fn(&World, c_int) + Sync) {
    let mut maps = [NodeMap::one(n), nodes(n, |pe| pe / 2), nodes(n, |pe| pe % 2)].to_vec();
    if n <= 5 {
        maps.push(nodes(n, |pe| pe));
    }
    maps.dedup();
    for map in maps {
        world_on(map, &body);
    }
}

fn nodes(n: u32, node: impl Fn(u32) -> u32) -> NodeMap {
    NodeMap::of((0..n).map(node))
}

/// Run `body` on each PE of a world on these nodes, which share memory within and nothing across.
pub fn world_on(map: NodeMap, body: impl Fn(&World, c_int) + Sync) {
    thread::scope(|scope| {
        for boot in ferrite_bootstrap::threads_on(map) {
            let body = &body;
            scope.spawn(move || {
                let _fail = FailAtOnce;
                let world = World::new();
                let me = boot.me().0 as c_int;
                // The nodes are this one machine, and each believes that it has all of the cores.
                let settings = Settings { wait: Waiting::Yield, ..Settings::default() };
                world
                    .start(StartOptions { boot, settings, extent: ferrite_runtime::Extent::Thread, network: None })
                    .expect("a world of threads starts");
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
