//! What is wanted of each row: one table, in one place.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Serialize;

use crate::over::Over;

/// What a value is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The same test of the other installation.
    Peer,
    /// The bare ping-pong around the same run.
    Probe,
    /// A test of the bare program that was run beside.
    Bare(&'static str),
    /// Another test of the same run.
    Own(&'static str),
    /// Nothing: the value itself, in its unit.
    Itself,
}

impl Against {
    /// As the table shows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Peer => "peer",
            Self::Probe => "bare_pingpong",
            Self::Bare(test) | Self::Own(test) => test,
            Self::Itself => "itself",
        }
    }
}

/// A limit of the ratio ours / reference, or of the value itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// Less is better.
    AtMost(f64),
    /// More is better.
    AtLeast(f64),
}

impl Wanted {
    /// Whether `value` is good enough.
    pub fn met_by(self, value: f64) -> bool {
        match self {
            Self::AtMost(limit) => value <= limit,
            Self::AtLeast(limit) => value >= limit,
        }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(limit) => write!(f, "<= {limit}"),
            Self::AtLeast(limit) => write!(f, ">= {limit}"),
        }
    }
}

/// One thing wanted of one test.
#[derive(Clone, Debug)]
pub struct Bar {
    test: &'static str,
    bytes: RangeInclusive<u64>,
    pes: u32,
    /// What it is held against.
    pub against: Against,
    /// The limit.
    pub wanted: Wanted,
}

const fn bar(test: &'static str, bytes: u64, pes: u32, against: Against, wanted: Wanted) -> Bar {
    Bar { test, bytes: bytes..=bytes, pes, against, wanted }
}

const fn large(test: &'static str, against: Against, wanted: Wanted) -> Bar {
    Bar { test, bytes: 64 << 10..=4 << 20, pes: 2, against, wanted }
}

use Against::{Bare, Itself, Own, Peer, Probe};
use Wanted::{AtLeast, AtMost};

/// The list for shared memory. Ratios against the peer are for two pinned PEs unless the row says otherwise.
pub const BARS: &[Bar] = &[
    bar("p_stream", 8, 2, Peer, AtMost(0.4)),
    bar("put", 8, 2, Peer, AtMost(0.5)),
    bar("get", 8, 2, Peer, AtMost(0.4)),
    bar("pingpong", 8, 2, Probe, AtMost(1.1)),
    large("put", Peer, AtLeast(1.0)),
    large("put", Bare("bare_memcpy"), AtLeast(0.97)),
    large("get", Peer, AtLeast(1.0)),
    large("get", Bare("bare_memcpy"), AtLeast(0.97)),
    bar("put_nbi", 8, 2, Peer, AtLeast(1.6)),
    bar("add", 8, 2, Peer, AtLeast(1.6)),
    bar("fetch_add", 8, 2, Peer, AtMost(0.6)),
    bar("static_p", 8, 2, Own("heap_p"), AtMost(1.3)),
    bar("static_put", 8, 2, Own("heap_put"), AtMost(1.3)),
    bar("static_get", 8, 2, Own("heap_get"), AtMost(1.3)),
    bar("static_fetch_add", 8, 2, Own("heap_fetch_add"), AtMost(1.3)),
    bar("quiet_litmus_at_writer", 8, 2, Itself, AtMost(0.0)),
    bar("quiet_litmus_at_reader", 8, 2, Itself, AtMost(0.0)),
    bar("barrier_all", 0, 2, Peer, AtMost(0.7)),
    bar("barrier_all", 0, 8, Peer, AtMost(1.0)),
    bar("hello", 0, 2, Itself, AtMost(20.0)),
    bar("hello", 0, 8, Itself, AtMost(50.0)),
    bar("hello", 0, 64, Itself, AtMost(350.0)),
    bar("int_max_to_all", 8, 2, Peer, AtMost(0.7)),
    bar("int_max_to_all", 1 << 10, 2, Peer, AtMost(0.6)),
    bar("int_max_to_all", 64 << 10, 2, Peer, AtMost(0.35)),
    bar("int_max_to_all", 1 << 20, 2, Peer, AtMost(0.45)),
    bar("int_max_to_all", 8, 8, Peer, AtMost(1.0)),
    bar("broadcast64", 1 << 20, 2, Peer, AtMost(0.3)),
    bar("fcollect64", 8, 2, Peer, AtMost(0.7)),
    bar("fcollect64", 1 << 20, 2, Peer, AtMost(0.5)),
    bar("alltoall64", 8, 2, Peer, AtMost(0.5)),
    bar("alltoall64", 1 << 20, 2, Peer, AtMost(1.0)),
];

/// The list for TCP on loopback.
pub const TCP_BARS: &[Bar] = &[
    bar("put", 8, 2, Bare("bare_tcp_round"), AtMost(1.2)),
    bar("get", 8, 2, Bare("bare_tcp_round"), AtMost(1.2)),
    bar("pingpong", 8, 2, Bare("bare_tcp_half"), AtMost(1.15)),
    bar("fetch_add", 8, 2, Bare("bare_tcp_round"), AtMost(1.25)),
    bar("p_stream", 8, 2, Itself, AtMost(333.0)),
    bar("put_nbi", 8, 2, Itself, AtLeast(3.0)),
    bar("put", 4 << 20, 2, Bare("bare_tcp_stream"), AtLeast(0.9)),
    bar("get", 4 << 20, 2, Bare("bare_tcp_stream"), AtLeast(0.9)),
    bar("barrier_all", 0, 2, Peer, AtMost(0.8)),
    bar("barrier_all", 0, 8, Peer, AtMost(0.8)),
    bar("int_max_to_all", 8, 2, Peer, AtMost(0.8)),
    bar("int_max_to_all", 1 << 20, 2, Peer, AtMost(1.0)),
];

/// The list for libfabric's provider for TCP.
pub const LIBFABRIC_TCP_BARS: &[Bar] =
    &[bar("put", 8, 2, Bare("bare_fabric_put"), AtMost(1.1)), bar("get", 8, 2, Bare("bare_fabric_get"), AtMost(1.1))];

/// The list for UCX with TCP.
pub const UCX_TCP_BARS: &[Bar] = &[
    bar("put", 8, 2, Peer, AtMost(1.0)),
    bar("get", 8, 2, Peer, AtMost(1.0)),
    bar("fetch_add", 8, 2, Peer, AtMost(1.0)),
];

/// References that are shown although nothing is wanted of them.
const SHOWN: &[(&str, Against)] =
    &[("put_flag", Probe), ("barrier_all", Bare("bare_barrier_spin")), ("barrier_all", Bare("bare_barrier_yield"))];
const TCP_SHOWN: &[(&str, Against)] = &[("put_flag", Bare("bare_tcp_half"))];
const LIBFABRIC_TCP_SHOWN: &[(&str, Against)] = &[
    ("put", Bare("bare_fabric_put")),
    ("put", Bare("bare_fabric_woken_put")),
    ("get", Bare("bare_fabric_get")),
    ("get", Bare("bare_fabric_woken_get")),
];
const UCX_POSIX_SHOWN: &[(&str, Against)] =
    &[("pingpong", Bare("bare_ucx_put_half")), ("put_flag", Bare("bare_ucx_put_half"))];

/// What a test is held against besides or instead of the peer, and with what limit. The peer comes first.
pub fn references(over: Over, test: &str, bytes: u64, pes: u32) -> Vec<(Against, Option<Wanted>)> {
    let fits = |bar: &&Bar| bar.test == test && bar.bytes.contains(&bytes) && bar.pes == pes;
    let (bars, shown): (&[Bar], &[_]) = match over {
        Over::Memory => (BARS, SHOWN),
        Over::Tcp => (TCP_BARS, TCP_SHOWN),
        Over::LibfabricTcp => (LIBFABRIC_TCP_BARS, LIBFABRIC_TCP_SHOWN),
        Over::UcxTcp => (UCX_TCP_BARS, &[]),
        Over::UcxPosix => (&[], UCX_POSIX_SHOWN),
    };
    let mut found: Vec<_> = bars.iter().filter(fits).map(|bar| (bar.against, Some(bar.wanted))).collect();
    if !found.iter().any(|(against, _)| *against == Peer) {
        found.insert(0, (Peer, None));
    }
    let open = shown.iter().filter(|&&(shown, against)| shown == test && !found.iter().any(|found| found.0 == against));
    let open: Vec<_> = open.map(|&(_, against)| (against, None)).collect();
    found.extend(open);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_inclusive() {
        assert!(AtMost(0.4).met_by(0.4) && !AtMost(0.4).met_by(0.41));
        assert!(AtLeast(1.6).met_by(1.6) && !AtLeast(1.6).met_by(1.59));
    }

    #[test]
    fn bars_are_found_by_test_bytes_and_pes() {
        assert_eq!(references(Over::Memory, "put", 8, 2), [(Peer, Some(AtMost(0.5)))]);
        assert_eq!(references(Over::Memory, "put", 8, 4), [(Peer, None)]);
        assert_eq!(references(Over::Memory, "put", 64, 2), [(Peer, None)]);
        assert_eq!(
            references(Over::Memory, "get", 1 << 20, 2),
            [(Peer, Some(AtLeast(1.0))), (Bare("bare_memcpy"), Some(AtLeast(0.97)))]
        );
        assert_eq!(references(Over::Tcp, "get", 8, 2), [(Peer, None), (Bare("bare_tcp_round"), Some(AtMost(1.2)))]);
        assert_eq!(references(Over::Memory, "pingpong", 8, 2), [(Peer, None), (Probe, Some(AtMost(1.1)))]);
    }
}
