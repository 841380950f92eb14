//! The network interfaces that carry a PE's data, and whether any of them still works.
//!
//! A peer that gives no sign of life may be slow, or stopped in a debugger. If this host has no working interface any more, there is no
//! reason to wait, and the cause is known.

use ferrite_os::sysfs;
use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// Number of looks in a row that must find an interface down before it counts as failed. A link that trains anew is down for a few seconds,
/// and its NIC sends again what was under way.
const LOOKS: u32 = 5;

/// Network interfaces that carry a PE's data.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Directory in which the kernel lists devices.
    root: PathBuf,
    links: Vec<Link>,
    /// Further groups of interfaces. Each group is needed: it is a fault if none of its interfaces works any more.
    others: Vec<Links>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Link {
    Net(String),
    /// A port of an RDMA device.
    Port(String, String),
}

impl Links {
    /// No interfaces: nothing that could fail.
    pub fn none() -> Links {
        Links::default()
    }

    /// All interfaces of this host that work now, except loopback.
    pub fn all() -> Links {
        Links::under(Path::new("/sys/class"), &[])
    }

    /// The interfaces among them with these names: `eth0`, `mlx5_0`, or one port of it, `mlx5_0:1`.
    pub fn named<S: AsRef<str>>(names: &[S]) -> Links {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        if names.is_empty() { Links::none() } else { Links::under(Path::new("/sys/class"), &names) }
    }

    fn under(root: &Path, names: &[&str]) -> Links {
        let wanted = |name: &str, port: Option<&str>| {
            let whole = port.map(|port| format!("{name}:{port}"));
            names.is_empty() || names.iter().any(|wanted| *wanted == name || Some(*wanted) == whole.as_deref())
        };
        let mut links = Vec::new();
        for name in sysfs::names(&root.join("net")) {
            let loopback = sysfs::text(&root.join("net").join(&name).join("type")).as_deref() == Some("772");
            if !loopback && wanted(&name, None) {
                links.push(Link::Net(name));
            }
        }
        for name in sysfs::names(&root.join("infiniband")) {
            for port in sysfs::names(&root.join("infiniband").join(&name).join("ports")) {
                if wanted(&name, Some(&port)) {
                    links.push(Link::Port(name.clone(), port));
                }
            }
        }
        links.retain(|link| link.fault(root).is_none());
        links.sort();
        Links { root: root.to_owned(), links, others: Vec::new() }
    }

    /// Add a group of interfaces that is needed too: it is a fault if all interfaces of one group have failed.
    pub fn and(mut self, other: Links) -> Links {
        self.others.push(other);
        self
    }

    /// Why the interfaces fail, if none works any more.
    pub fn fault(&self) -> Option<String> {
        self.own_fault().or_else(|| self.others.iter().find_map(Links::fault))
    }

    fn own_fault(&self) -> Option<String> {
        let mut faults = Vec::new();
        for link in &self.links {
            faults.push(link.fault(&self.root)?);
        }
        (!faults.is_empty()).then(|| faults.join(", and "))
    }
}

/// Interfaces that are looked at now and then, by one thread at a time.
#[derive(Debug, Default)]
pub(crate) struct WatchedLinks {
    pub links: Links,
    /// Looks in a row that found a fault.
    faults: AtomicU32,
}

impl WatchedLinks {
    pub fn new(links: Links) -> WatchedLinks {
        WatchedLinks { links, faults: AtomicU32::new(0) }
    }

    /// Look once. Returns the fault if the last [`LOOKS`] looks all found one.
    pub fn look(&self) -> Option<String> {
        let fault = self.links.fault();
        let faults = if fault.is_some() { self.faults.load(Relaxed).saturating_add(1) } else { 0 };
        self.faults.store(faults, Relaxed);
        fault.filter(|_| faults >= LOOKS)
    }
}

impl Link {
    fn fault(&self, root: &Path) -> Option<String> {
        match self {
            Link::Net(name) => {
                let place = root.join("net").join(name);
                match sysfs::text(&place.join("operstate")) {
                    None => Some(format!("the network interface {name} is gone")),
                    // Some drivers never report "up"; then the flag decides. An interface that is built on another may have lost the lower
                    // one.
                    Some(state) if ["down", "lowerlayerdown", "notpresent"].contains(&&*state) || !is_up(&place) => {
                        Some(format!("the network interface {name} is down"))
                    }
                    Some(_) => None,
                }
            }
            Link::Port(name, port) => {
                let state = root.join("infiniband").join(name).join("ports").join(port).join("state");
                match sysfs::text(&state) {
                    None => Some(format!("the device {name} is gone")),
                    Some(state) if state.contains("ACTIVE") => None,
                    Some(state) => {
                        let state = state.rsplit(' ').next().unwrap_or_default().to_lowercase();
                        Some(format!("port {port} of the device {name} is {state}"))
                    }
                }
            }
        }
    }
}

/// Whether the interface is switched on: the lowest bit of its flags.
fn is_up(interface: &Path) -> bool {
    let flags = sysfs::text(&interface.join("flags"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim_start_matches("0x"), 16).ok());
    flags.is_some_and(|flags| flags & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A directory like the kernel's, removed at the end.
    struct Class(PathBuf);

    impl Class {
        fn new(name: &str) -> Class {
            let root = std::env::temp_dir().join(format!("ferrite-links-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&root);
            let class = Class(root);
            class.net("lo", "772", "unknown", "0x9");
            class.net("eth0", "1", "up", "0x1003");
            class.net("eth1", "1", "down", "0x1002");
            class.port("mlx5_0", "4: ACTIVE\n");
            class
        }

        fn net(&self, name: &str, kind: &str, state: &str, flags: &str) {
            let place = self.0.join("net").join(name);
            fs::create_dir_all(&place).unwrap();
            for (file, text) in [("type", kind), ("operstate", state), ("flags", flags)] {
                fs::write(place.join(file), format!("{text}\n")).unwrap();
            }
        }

        fn port(&self, name: &str, state: &str) {
            let place = self.0.join("infiniband").join(name).join("ports/1");
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join("state"), state).unwrap();
        }
    }

    impl Drop for Class {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn one_that_works_is_enough() {
        let class = Class::new("one");
        let links = Links::under(&class.0, &[]);
        assert_eq!(links.links, [Link::Net("eth0".into()), Link::Port("mlx5_0".into(), "1".into())]);
        fs::remove_dir_all(class.0.join("net/eth0")).unwrap();
        assert_eq!(links.fault(), None);
        class.port("mlx5_0", "1: DOWN\n");
        let fault = links.fault().unwrap();
        assert_eq!(fault, "the network interface eth0 is gone, and port 1 of the device mlx5_0 is down");
    }

    #[test]
    fn each_of_several_rails_is_needed() {
        let class = Class::new("rails");
        class.net("eth1", "1", "up", "0x1003");
        let links = Links::under(&class.0, &["eth0"]).and(Links::under(&class.0, &["eth1"])).and(Links::none());
        assert_eq!(links.fault(), None);
        class.net("eth1", "1", "down", "0x1002");
        assert_eq!(links.fault().unwrap(), "the network interface eth1 is down");
    }

    #[test]
    fn link_that_flaps_has_not_failed() {
        let class = Class::new("flaps");
        let watched = WatchedLinks::new(Links::under(&class.0, &["eth0"]));
        let look = |state: &str| {
            class.net("eth0", "1", state, "0x1003");
            watched.look()
        };
        for _ in 0..3 {
            assert_eq!((1..LOOKS).find_map(|_| look("down")), None);
            assert_eq!(look("up"), None);
        }
        let found: Vec<_> = (0..=LOOKS).map(|_| look("down").is_some()).collect();
        assert_eq!(found, [false, false, false, false, true, true]);
    }

    #[test]
    fn only_named_and_once_working_links_count() {
        let class = Class::new("named");
        let links = Links::under(&class.0, &["eth0", "eth1"]);
        assert_eq!(links.fault(), None);
        class.net("eth0", "1", "up", "0x1002");
        assert_eq!(links.fault().unwrap(), "the network interface eth0 is down");
        class.net("eth0", "1", "lowerlayerdown", "0x1003");
        assert_eq!(links.fault().unwrap(), "the network interface eth0 is down");
        assert_eq!(Links::under(&class.0, &["mlx5_0:1"]).links.len(), 1);
        assert!(Links::under(&class.0, &["mlx5_0:2"]).links.is_empty());
        assert_eq!(Links::under(&class.0, &["shm"]).fault(), None, "what is no interface cannot fail");
    }

    #[test]
    fn nothing_is_wrong_with_the_interfaces_of_this_host() {
        assert_eq!(Links::all().fault(), None);
        assert_eq!(Links::named::<&str>(&[]).fault(), None);
    }
}
