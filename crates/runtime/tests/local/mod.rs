//! Worlds whose PEs are threads of the test.

use ferrite_bootstrap::NodeMap;
use ferrite_runtime::{Site, StartOptions, World};
use ferrite_settings::{Settings, Waiting};
use std::{ffi::c_int, process, thread};

/// Call site for the start and the end of these worlds.
static SITE: Site = Site::of_c("a world of threads");

/// Run `body` on each of `n` PEs of a world on one node.
#[allow(dead_code, reason = "not every test program has such a test")]
pub fn world_of(n: u32, body: impl Fn(&World, c_int) + Sync) {
    world_on(NodeMap::one(n), body);
}

/// Run `body` on each of `n` PEs, in one world after another: on one node; on nodes of two PEs; with PEs dealt to two nodes in turn; and,
/// if `n` is at most 5, with each PE on a node of its own. More threads than that would get too little CPU time.
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

/// Run `body` on each PE of a world on these nodes. PEs of one node share memory; PEs of different nodes do not.
pub fn world_on(map: NodeMap, body: impl Fn(&World, c_int) + Sync) {
    thread::scope(|scope| {
        for boot in ferrite_bootstrap::threads_on(map) {
            let body = &body;
            scope.spawn(move || {
                let _fail = FailAtOnce;
                let world = World::new();
                let me = boot.me().0 as c_int;
                // All nodes are this machine, and each takes all cores for its own. So PEs yield while they wait.
                let settings = Settings { wait: Waiting::Yield, ..Settings::default() };
                world
                    .start(StartOptions {
                        boot,
                        settings,
                        extent: ferrite_runtime::Extent::Thread,
                        network: None,
                        losses: None,
                    })
                    .expect("a world of threads starts");
                body(&world, me);
                world.finalize(&SITE);
            });
        }
    });
}

/// Aborts the process if a PE's assertion fails: the other PEs, and the test, would wait in a barrier for ever.
pub struct FailAtOnce;

impl Drop for FailAtOnce {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("a PE of {:?} has failed; the others wait for it, and are ended", thread::current().name());
            process::abort();
        }
    }
}
