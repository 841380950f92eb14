//! The network interfaces of this host, and which of their addresses to give to processes of other hosts.
//!
//! A host has many addresses, and a process cannot know which of them a peer reaches. So all useful addresses are published, the most
//! promising first. Bridges without a real interface (as containers have) are left out, since the same address exists on every host; so are
//! link-local addresses, and interfaces that are down. Loopback leads to the process only from the same host.

use crate::sysfs;
pub use if_addrs::Interface;
use std::{
    io,
    net::IpAddr,
    path::{Path, PathBuf},
};

/// The interfaces of this host, once for each address.
pub fn all() -> io::Result<Vec<Interface>> {
    if_addrs::get_if_addrs()
}

/// The addresses of these interfaces to publish, the most promising first; loopback comes last.
pub fn published(all: &[Interface]) -> Vec<IpAddr> {
    let usable = |i: &&Interface| !i.is_link_local() && !i.is_loopback();
    let outward = |i: &&Interface| i.is_oper_up() && !is_inner_bridge(&i.name);
    let mut some: Vec<&Interface> = all.iter().filter(usable).filter(outward).collect();
    if some.is_empty() {
        some = all.iter().filter(usable).collect();
    }
    some.sort_by_key(|i| (!has_device(&i.name), i.ip().is_ipv6()));
    let mut loopback: Vec<&Interface> = all.iter().filter(|i| i.is_loopback()).collect();
    loopback.sort_by_key(|i| i.ip().is_ipv6());
    some.into_iter().chain(loopback).map(Interface::ip).collect()
}

fn of(name: &str) -> PathBuf {
    Path::new("/sys/class/net").join(name)
}

fn has_device(name: &str) -> bool {
    of(name).join("device").exists()
}

/// A bridge to which no real interface belongs.
fn is_inner_bridge(name: &str) -> bool {
    of(name).join("bridge").exists() && !sysfs::names(&of(name).join("brif")).iter().any(|member| has_device(member))
}
