//! Connections that stay on this host are spared what is of use on a network alone, those of a library too.

use ferrite_fabric::sockets;
use std::{
    fs,
    time::{Duration, Instant},
};

/// For hanging, not for slowness.
const PATIENCE: Duration = Duration::from_secs(400);

/// Whether it can be seen here; says why not.
pub fn unpaced_shows() -> bool {
    let usual = fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control").unwrap_or_default();
    let shows = usual.trim() != "reno";
    if !shows {
        println!("skipped: every connection of this host is one without pacing");
    }
    shows
}

/// `speak` to a peer that is in this process too, until all connections of the process are spared.
pub fn unpaced_soon(mut speak: impl FnMut()) {
    let start = Instant::now();
    loop {
        speak();
        let connections: Vec<_> = sockets::all().unwrap().into_iter().filter(|tcp| tcp.far.is_some()).collect();
        assert!(connections.len() >= 2, "both ends are here: {connections:?}");
        if connections.iter().all(|tcp| tcp.congestion().as_deref() == Some("reno")) {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "{connections:?}");
    }
}
