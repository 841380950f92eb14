//! The suite of all providers, with PEs as processes: this binary starts itself again for the second PE, and the
//! two meet over its standard input and output.

use ferrite_conformance::{self as conformance, Pipes};
use ferrite_fabric::{Fabric, Pe};
use ferrite_tcp::Options;
use std::process::Command;

fn make(me: Pe, size: u32) -> Box<dyn Fabric> {
    ferrite_tcp::open(Options::new(me, size, [3; 32])).unwrap()
}

#[test]
fn two_processes() {
    let mut again = Command::new(std::env::current_exe().unwrap());
    let (mut child, pipes) = Pipes::start(again.args(["the_other_process", "--exact", "--ignored", "--nocapture"]));
    conformance::run(Pe(0), 2, &make, &pipes);
    pipes.drain();
    assert!(child.wait().unwrap().success());
}

/// PE 1 of [`two_processes`], which starts it.
#[test]
#[ignore = "started by two_processes"]
fn the_other_process() {
    conformance::run(Pe(1), 2, &make, &Pipes::of_child());
}
