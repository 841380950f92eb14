//! The suite of all providers, over loopback, with PEs as threads.

use ferrite_conformance as conformance;
use ferrite_fabric::{Fabric, Pe};
use ferrite_tcp::Options;

fn make(interface: Option<&str>) -> impl Fn(Pe, u32) -> Box<dyn Fabric> + Sync {
    move |me, size| {
        let options = Options { interface: interface.map(str::to_owned), ..Options::new(me, size, [42; 32]) };
        ferrite_tcp::open(options).unwrap()
    }
}

#[test]
fn one_pe() {
    conformance::threads(1, &make(None));
}

#[test]
fn two_pes() {
    conformance::threads(2, &make(None));
}

#[test]
fn three_pes() {
    conformance::threads(3, &make(Some("127.0.0.1")));
}

#[test]
fn four_pes() {
    conformance::threads(4, &make(None));
}

#[test]
fn over_ipv6() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        println!("skipped: this host has no IPv6");
        return;
    }
    conformance::threads(2, &make(Some("::1")));
}
