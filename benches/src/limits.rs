//! The limits: for each test, its references and the required ratios.

use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::transport::Transport;

/// The reference that a value is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The same test of the other installation.
    Peer,
    /// The bare ping-pong around the same run.
    Probe,
    /// A test of the bare program that was run beside it.
    Bare(&'static str),
    /// Another test of the same run.
    Own(&'static str),
    /// None: the bound applies to the value itself, in its unit.
    Itself,
}

impl Reference {
    /// The name in the table.
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Less is better.
    AtMost(f64),
    /// More is better.
    AtLeast(f64),
}

impl Bound {
    /// True if `value` is good enough.
    pub fn met_by(self, value: f64) -> bool {
        match self {
            Self::AtMost(limit) => value <= limit,
            Self::AtLeast(limit) => value >= limit,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(limit) => write!(f, "<= {limit}"),
            Self::AtLeast(limit) => write!(f, ">= {limit}"),
        }
    }
}

/// One requirement on one test.
#[derive(Clone, Debug)]
pub struct Limit {
    test: &'static str,
    bytes: RangeInclusive<u64>,
    pes: u32,
    pub against: Reference,
    pub wanted: Bound,
}

const fn limit(test: &'static str, bytes: u64, pes: u32, against: Reference, wanted: Bound) -> Limit {
    Limit { test, bytes: bytes..=bytes, pes, against, wanted }
}

const fn large(test: &'static str, against: Reference, wanted: Bound) -> Limit {
    Limit { test, bytes: 64 << 10..=4 << 20, pes: 2, against, wanted }
}

use Bound::{AtLeast, AtMost};
use Reference::{Bare, Itself, Own, Peer, Probe};

/// Limits for shared memory. Ratios against the peer are for two pinned PEs, unless the row says otherwise.
const SHM_LIMITS: &[Limit] = &[
    limit("p_stream", 8, 2, Peer, AtMost(0.4)),
    limit("put", 8, 2, Peer, AtMost(0.5)),
    limit("get", 8, 2, Peer, AtMost(0.4)),
    limit("pingpong", 8, 2, Probe, AtMost(1.1)),
    large("put", Peer, AtLeast(1.0)),
    large("put", Bare("bare_memcpy"), AtLeast(0.97)),
    large("get", Peer, AtLeast(1.0)),
    large("get", Bare("bare_memcpy"), AtLeast(0.97)),
    limit("put_nbi", 8, 2, Peer, AtLeast(1.6)),
    limit("add", 8, 2, Peer, AtLeast(1.6)),
    limit("fetch_add", 8, 2, Peer, AtMost(0.6)),
    limit("static_p", 8, 2, Own("heap_p"), AtMost(1.3)),
    limit("static_put", 8, 2, Own("heap_put"), AtMost(1.3)),
    limit("static_get", 8, 2, Own("heap_get"), AtMost(1.3)),
    limit("static_fetch_add", 8, 2, Own("heap_fetch_add"), AtMost(1.3)),
    limit("quiet_litmus_at_writer", 8, 2, Itself, AtMost(0.0)),
    limit("quiet_litmus_at_reader", 8, 2, Itself, AtMost(0.0)),
    limit("barrier_all", 0, 2, Peer, AtMost(0.7)),
    limit("barrier_all", 0, 8, Peer, AtMost(1.0)),
    limit("hello", 0, 2, Itself, AtMost(20.0)),
    limit("hello", 0, 8, Itself, AtMost(50.0)),
    limit("hello", 0, 64, Itself, AtMost(350.0)),
    limit("int_max_to_all", 8, 2, Peer, AtMost(0.7)),
    limit("int_max_to_all", 1 << 10, 2, Peer, AtMost(0.6)),
    limit("int_max_to_all", 64 << 10, 2, Peer, AtMost(0.35)),
    limit("int_max_to_all", 1 << 20, 2, Peer, AtMost(0.45)),
    limit("int_max_to_all", 8, 8, Peer, AtMost(1.0)),
    limit("broadcast64", 1 << 20, 2, Peer, AtMost(0.3)),
    limit("fcollect64", 8, 2, Peer, AtMost(0.7)),
    limit("fcollect64", 1 << 20, 2, Peer, AtMost(0.5)),
    limit("alltoall64", 8, 2, Peer, AtMost(0.5)),
    limit("alltoall64", 1 << 20, 2, Peer, AtMost(1.0)),
];

/// Limits for TCP on loopback.
const TCP_LIMITS: &[Limit] = &[
    limit("put", 8, 2, Bare("bare_tcp_round"), AtMost(1.2)),
    limit("get", 8, 2, Bare("bare_tcp_round"), AtMost(1.2)),
    limit("pingpong", 8, 2, Bare("bare_tcp_half"), AtMost(1.15)),
    limit("fetch_add", 8, 2, Bare("bare_tcp_round"), AtMost(1.25)),
    limit("p_stream", 8, 2, Itself, AtMost(333.0)),
    limit("put_nbi", 8, 2, Itself, AtLeast(3.0)),
    limit("put", 4 << 20, 2, Bare("bare_tcp_stream"), AtLeast(0.9)),
    limit("get", 4 << 20, 2, Bare("bare_tcp_stream"), AtLeast(0.9)),
    limit("barrier_all", 0, 2, Peer, AtMost(0.8)),
    limit("barrier_all", 0, 8, Peer, AtMost(0.8)),
    limit("int_max_to_all", 8, 2, Peer, AtMost(0.8)),
    limit("int_max_to_all", 1 << 20, 2, Peer, AtMost(1.0)),
];

/// Limits for libfabric's TCP provider.
const LIBFABRIC_TCP_LIMITS: &[Limit] = &[
    limit("put", 8, 2, Bare("bare_fabric_put"), AtMost(1.1)),
    limit("get", 8, 2, Bare("bare_fabric_get"), AtMost(1.1)),
];

/// Limits for UCX over TCP.
const UCX_TCP_LIMITS: &[Limit] = &[
    limit("put", 8, 2, Peer, AtMost(1.0)),
    limit("get", 8, 2, Peer, AtMost(1.0)),
    limit("fetch_add", 8, 2, Peer, AtMost(1.0)),
];

/// References that are shown without a limit.
const SHM_SHOWN: &[(&str, Reference)] = &[
    ("put", Bare("bare_memcpy")),
    ("get", Bare("bare_memcpy")),
    ("put_stream", Bare("bare_memcpy")),
    ("get_stream", Bare("bare_memcpy")),
    ("pingpong", Probe),
    ("put_flag", Probe),
    ("put_signal", Probe),
    ("barrier_all", Bare("bare_barrier_spin")),
    ("barrier_all", Bare("bare_barrier_yield")),
    ("int_max_to_all", Probe),
    ("int_max_to_all", Bare("bare_memcpy")),
    ("hello", Bare("bare_start")),
];
const TCP_SHOWN: &[(&str, Reference)] = &[
    ("put", Bare("bare_tcp_stream")),
    ("put", Bare("bare_tcp_round")),
    ("get", Bare("bare_tcp_stream")),
    ("get", Bare("bare_tcp_round")),
    ("put_stream", Bare("bare_tcp_stream")),
    ("get_stream", Bare("bare_tcp_stream")),
    ("g", Bare("bare_tcp_round")),
    ("fetch_add", Bare("bare_tcp_round")),
    ("pingpong", Bare("bare_tcp_half")),
    ("put_flag", Bare("bare_tcp_half")),
    ("put_signal", Bare("bare_tcp_half")),
    ("int_max_to_all", Bare("bare_tcp_half")),
    ("hello", Bare("bare_start")),
];
const LIBFABRIC_SHOWN: &[(&str, Reference)] = &[
    ("put", Bare("bare_fabric_put")),
    ("put", Bare("bare_fabric_woken_put")),
    ("get", Bare("bare_fabric_get")),
    ("get", Bare("bare_fabric_woken_get")),
];
const UCX_SHOWN: &[(&str, Reference)] = &[
    ("pingpong", Bare("bare_ucx_put_half")),
    ("put_flag", Bare("bare_ucx_put_half")),
    ("put_signal", Bare("bare_ucx_put_half")),
];

/// The references of a test, each with its limit if there is one. The peer is always among them, and comes first.
pub fn references(transport: &Transport, test: &str, bytes: u64, pes: u32) -> Vec<(Reference, Option<Bound>)> {
    let fits = |limit: &&Limit| limit.test == test && limit.bytes.contains(&bytes) && limit.pes == pes;
    let (limits, shown): (&[Limit], &[_]) = match transport {
        Transport::Shm => (SHM_LIMITS, SHM_SHOWN),
        Transport::Tcp => (TCP_LIMITS, TCP_SHOWN),
        Transport::Libfabric(provider) if provider == "tcp" => (LIBFABRIC_TCP_LIMITS, LIBFABRIC_SHOWN),
        Transport::Libfabric(_) => (&[], LIBFABRIC_SHOWN),
        Transport::Ucx(tls) if tls == "tcp" => (UCX_TCP_LIMITS, UCX_SHOWN),
        Transport::Ucx(_) => (&[], UCX_SHOWN),
    };
    let mut found: Vec<_> = limits.iter().filter(fits).map(|limit| (limit.against, Some(limit.wanted))).collect();
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
    fn limits_are_found_by_test_bytes_and_pes() {
        let of = |transport: &str, test, bytes, pes| references(&transport.parse().unwrap(), test, bytes, pes);
        let memcpy = (Bare("bare_memcpy"), None);
        assert_eq!(of("shm", "put", 8, 2), [(Peer, Some(AtMost(0.5))), memcpy]);
        assert_eq!(of("shm", "put", 8, 4), [(Peer, None), memcpy]);
        assert_eq!(of("shm", "fetch_add", 64, 2), [(Peer, None)]);
        assert_eq!(
            of("shm", "get", 1 << 20, 2),
            [(Peer, Some(AtLeast(1.0))), (Bare("bare_memcpy"), Some(AtLeast(0.97)))]
        );
        assert_eq!(of("tcp", "pingpong", 8, 2), [(Peer, None), (Bare("bare_tcp_half"), Some(AtMost(1.15)))]);
        assert_eq!(of("ucx:rc", "pingpong", 8, 2), [(Peer, None), (Bare("bare_ucx_put_half"), None)]);
        assert_eq!(of("shm", "pingpong", 8, 2), [(Peer, None), (Probe, Some(AtMost(1.1)))]);
    }
}
