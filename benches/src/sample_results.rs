//! A small table of results that tests of all outputs share.

use crate::distance::Distance;
use crate::document::{Head, Installed, Results};
use crate::family::Family;
use crate::installation::Dialect;
use crate::machine::Machine;
use crate::rows::{Row, Verdict};
use crate::sample::{Tail, Unit};

/// A row beside the peer, whose ratio has a narrow interval.
fn row(family: Family, over: &str, test: &str, bytes: u64, pes: u32, unit: Unit, (ours, peer): (f64, f64)) -> Row {
    let ratio = ours / peer;
    Row {
        family,
        transport: over.parse().unwrap(),
        test: test.to_owned(),
        bytes,
        pes,
        distance: if pes > 2 { Distance::Any } else { Distance::Near },
        pairs: 5,
        ours: Some(ours),
        tail: (unit == Unit::Ns).then_some(Tail { p99: 3.0 * ours, max: 90.0 * ours }),
        unit,
        against: Some("peer".to_owned()),
        reference: Some(peer),
        reference_tail: None,
        ratio: Some(ratio),
        interval: Some((0.98 * ratio, 1.02 * ratio)),
        wanted: None,
        verdict: Verdict::Open,
    }
}

/// Rows of several families over two transports; two of them are slower than the peer, one within noise.
pub fn results() -> Results {
    let mut rows = vec![
        row(Family::Put, "shm", "put", 8, 2, Unit::Ns, (10.0, 25.0)),
        row(Family::Put, "shm", "put", 1024, 2, Unit::Ns, (20.0, 40.0)),
        row(Family::Put, "shm", "put", 65_536, 2, Unit::GigabytesPerSecond, (120.0, 118.0)),
        row(Family::Put, "shm", "put", 1 << 20, 2, Unit::GigabytesPerSecond, (50.0, 51.0)),
        row(Family::Put, "tcp", "put", 8, 2, Unit::Ns, (8000.0, 15_000.0)),
        row(Family::Put, "tcp", "put", 65_536, 2, Unit::GigabytesPerSecond, (3.0, 1.5)),
        row(Family::Barrier, "tcp", "barrier_all", 0, 2, Unit::Ns, (6000.0, 7000.0)),
        row(Family::Barrier, "tcp", "barrier_all", 0, 8, Unit::Ns, (30_000.0, 20_000.0)),
        row(Family::Threads, "shm", "put_nbi_private_x1", 8, 2, Unit::MillionsPerSecond, (200.0, 50.0)),
        row(Family::Threads, "shm", "put_nbi_private_x4", 8, 2, Unit::MillionsPerSecond, (300.0, 60.0)),
        row(Family::Applications, "shm", "gups", 0, 2, Unit::Figure("GUP/s"), (0.4, 0.1)),
        row(Family::Applications, "shm", "bfs", 0, 2, Unit::Figure("MTEPS"), (10.0, 10.0)),
    ];
    rows.push(Row { interval: Some((0.4, 3.0)), ..row(Family::G, "tcp", "g", 8, 2, Unit::Ns, (9000.0, 8000.0)) });
    rows.push(Row { against: Some("bare_memcpy".to_owned()), reference: Some(2.0), ..rows[0].clone() });
    rows.push(Row { against: Some("bare_memcpy".to_owned()), reference: Some(9.0), ..rows[1].clone() });
    rows.push(Row { interval: Some((1.2, 1.4)), ..row(Family::P, "shm", "p_stream", 8, 2, Unit::Ns, (13.0, 10.0)) });
    let side = |version: &str, dialect| Installed {
        version: version.to_owned(),
        prefix: "/opt/one".to_owned(),
        dialect,
        launches: vec!["oshrun --bind-to core -n 2".to_owned()],
    };
    let machine = Machine {
        processor: "Some, processor".to_owned(),
        cores: 2,
        threads: 2,
        virtual_machine: true,
        kernel: "6.1".to_owned(),
        system: "A system".to_owned(),
        load: 0.1,
    };
    let head = Head {
        date: "2026-01-31".to_owned(),
        commit: Some("abc".to_owned()),
        machine,
        hosts: None,
        ours: side("oshrun 0.1.0", Dialect::Ferrite),
        peer: Some(side("oshrun (OpenRTE) 4.1.4", Dialect::Openmpi)),
        quick: false,
    };
    Results { head, rows }
}
