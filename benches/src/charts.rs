//! The charts of a table of results: lines over sizes, PEs and threads.

use std::collections::BTreeMap;

use crate::distance::Distance;
use crate::document::Results;
use crate::family::Family;
use crate::plot::{Drawing, Line, LineChart, Scale};
use crate::rows::Row;
use crate::sample::Unit;
use crate::transport::Transport;

/// A drawing and the name of its file.
pub struct Figure {
    /// File name without the extension.
    pub name: String,
    pub drawing: Drawing,
}

/// The drawings of one family.
pub struct Section {
    pub family: Family,
    pub figures: Vec<Figure>,
}

/// The quantity on the x axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    Bytes,
    Pes,
    /// The number after the last `_x` of a test's name.
    Threads,
}

/// The quantity on the y axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Y {
    Time,
    Bandwidth,
    Rate,
}

/// A chart, drawn for each transport that has values.
struct Spec {
    family: Family,
    title: &'static str,
    /// Tests, each with the label that distinguishes its lines.
    tests: &'static [(&'static str, &'static str)],
    over: Over,
    y: Y,
}

const fn spec(
    family: Family,
    title: &'static str,
    tests: &'static [(&'static str, &'static str)],
    over: Over,
    y: Y,
) -> Spec {
    Spec { family, title, tests, over, y }
}

const SPECS: &[Spec] = &[
    spec(Family::Put, "put and quiet: time", &[("put", "")], Over::Bytes, Y::Time),
    spec(Family::Put, "put and quiet: bandwidth", &[("put", "")], Over::Bytes, Y::Bandwidth),
    spec(Family::Get, "get: time", &[("get", "")], Over::Bytes, Y::Time),
    spec(Family::Get, "get: bandwidth", &[("get", "")], Over::Bytes, Y::Bandwidth),
    spec(Family::Stream, "windows of puts: bandwidth", &[("put_stream", "")], Over::Bytes, Y::Bandwidth),
    spec(Family::Stream, "windows of gets: bandwidth", &[("get_stream", "")], Over::Bytes, Y::Bandwidth),
    spec(Family::Stream, "puts both ways: bandwidth of both", &[("put_both_ways", "")], Over::Bytes, Y::Bandwidth),
    spec(Family::Strided, "every other word: time", &[("iput", "iput"), ("iget", "iget")], Over::Bytes, Y::Time),
    spec(Family::Atomics, "fetch_add by all PEs on one word: rate", &[("contended_fetch_add", "")], Over::Pes, Y::Rate),
    spec(Family::Signal, "put with signal, wait: half a round trip", &[("put_signal", "")], Over::Bytes, Y::Time),
    spec(Family::Barrier, "barrier_all: time", &[("barrier_all", "")], Over::Pes, Y::Time),
    spec(Family::Collectives, "int_max_to_all: time", &[("int_max_to_all", "")], Over::Bytes, Y::Time),
    spec(Family::Collectives, "broadcast64: time", &[("broadcast64", "")], Over::Bytes, Y::Time),
    spec(Family::Collectives, "fcollect64: time", &[("fcollect64", "")], Over::Bytes, Y::Time),
    spec(Family::Collectives, "collect64: time", &[("collect64", "")], Over::Bytes, Y::Time),
    spec(Family::Collectives, "alltoall64: time", &[("alltoall64", "")], Over::Bytes, Y::Time),
    spec(Family::Collectives, "alltoalls64: time", &[("alltoalls64", "")], Over::Bytes, Y::Time),
    spec(Family::Teams, "sum_reduce of a team: time", &[("team_sum_reduce", "")], Over::Bytes, Y::Time),
    spec(Family::Teams, "broadcast in a team: time", &[("team_broadcast", "")], Over::Bytes, Y::Time),
    spec(Family::Teams, "fcollect in a team: time", &[("team_fcollect", "")], Over::Bytes, Y::Time),
    spec(Family::Teams, "alltoall in a team: time", &[("team_alltoall", "")], Over::Bytes, Y::Time),
    spec(Family::Teams, "collect in a team: time", &[("team_collect", "")], Over::Bytes, Y::Time),
    spec(Family::Teams, "alltoalls in a team: time", &[("team_alltoalls", "")], Over::Bytes, Y::Time),
    spec(Family::Teams, "inclusive and exclusive scan: time", SCANS, Over::Bytes, Y::Time),
    spec(Family::Teams, "a team is split off and destroyed: time", &[("team_split", "")], Over::Pes, Y::Time),
    spec(Family::Malloc, "malloc and free: time", &[("malloc_free", "")], Over::Bytes, Y::Time),
    spec(Family::Locks, "a lock that all PEs want: rate", &[("lock_contended", "")], Over::Pes, Y::Rate),
    spec(Family::Start, "a job that does nothing: time", &[("hello", "")], Over::Pes, Y::Time),
    spec(Family::Threads, "put_nbi of 8 bytes by threads: rate", THREADS_PUT, Over::Threads, Y::Rate),
    spec(Family::Threads, "p by threads: rate", THREADS_P, Over::Threads, Y::Rate),
    spec(Family::Threads, "fetch_add by threads: rate", THREADS_ADD, Over::Threads, Y::Rate),
];

const SCANS: &[(&str, &str)] = &[("team_inscan", "inclusive"), ("team_exscan", "exclusive")];
const THREADS_PUT: &[(&str, &str)] =
    &[("put_nbi_private", "private"), ("put_nbi_serialized", "serialized"), ("put_nbi_shared", "shared")];
const THREADS_P: &[(&str, &str)] = &[("p_private", "private"), ("p_serialized", "serialized"), ("p_shared", "shared")];
const THREADS_ADD: &[(&str, &str)] =
    &[("fetch_add_private", "private"), ("fetch_add_serialized", "serialized"), ("fetch_add_shared", "shared")];

/// The names that the legend uses for the bare programs.
fn limit_name(test: &str) -> &str {
    match test {
        "bare_memcpy" => "memcpy",
        "bare_pingpong" => "cache line",
        "bare_start" => "bare processes",
        name if name.starts_with("bare_tcp") => "bare TCP",
        name if name.starts_with("bare_fabric_woken") => "libfabric, woken",
        name if name.starts_with("bare_fabric") => "bare libfabric",
        name if name.starts_with("bare_ucx") => "ucx_perftest",
        name if name.starts_with("bare_barrier") => "bare barrier",
        name => name,
    }
}

/// All line charts, family by family.
pub fn of(results: &Results) -> Vec<Section> {
    let transports = results.transports();
    let of_family = |&family: &Family| {
        let specs = SPECS.iter().filter(|spec| spec.family == family);
        let figures: Vec<Figure> =
            specs.flat_map(|spec| transports.iter().filter_map(|transport| figure(results, spec, transport))).collect();
        (!figures.is_empty()).then_some(Section { family, figures })
    };
    Family::all().iter().filter_map(of_family).collect()
}

/// The points of a line by x, which is a whole number of PEs, threads or bytes.
type Points = BTreeMap<u64, f64>;

fn figure(results: &Results, spec: &Spec, transport: &Transport) -> Option<Figure> {
    let rows: Vec<&Row> = results.rows.iter().filter(|row| row.transport == *transport).collect();
    let mut lines: Vec<Line> = Vec::new();
    let mut limits: BTreeMap<&str, Points> = BTreeMap::new();
    let (ours, peer) = (results.head.ours.name(), results.head.peer.as_ref().map_or("peer", |peer| peer.name()));
    for (variant, (name, rows)) in groups(spec, &rows).into_iter().enumerate() {
        let rows = of_one_distance(rows);
        let named = |side: &str| if name.is_empty() { side.to_owned() } else { format!("{side}, {name}") };
        let class = |side: &str| format!("{side} v{}", variant.min(2));
        let of = |value: fn(&Row) -> Option<f64>| points(spec, rows.iter().copied(), value);
        lines.extend(line(named(ours), class("ours"), of(|row| row.ours)));
        lines.extend(line(named(peer), class("peer"), of(|row| row.reference.filter(|_| row.beside_peer()))));
        for row in rows.iter().filter(|row| row.against.as_ref().is_some_and(|name| name.starts_with("bare_"))) {
            let name = limit_name(row.against.as_deref().unwrap_or_default());
            limits.entry(name).or_default().extend(points(spec, [*row].into_iter(), |row| row.reference));
        }
    }
    if lines.iter().all(|line| line.points.len() < 2) {
        return None;
    }
    lines.extend(limits.into_iter().filter_map(|(name, points)| line(name.to_owned(), "limit".to_owned(), points)));
    let title = format!("{}, over {transport}", spec.title);
    let y = match spec.y {
        Y::Time => ("time", Scale::Time),
        Y::Bandwidth => ("bandwidth", Scale::Bandwidth),
        Y::Rate => ("operations a second", Scale::Rate),
    };
    let x = match spec.over {
        Over::Bytes => ("bytes", Scale::Bytes),
        Over::Pes => ("PEs", Scale::Number),
        Over::Threads => ("threads", Scale::Number),
    };
    let drawing = LineChart { title, x, y, lines }.draw();
    let suffix = if spec.y == Y::Bandwidth { "-bandwidth" } else { "" };
    let name = format!("{}-{}{suffix}", transport.file_word(), spec.tests[0].0);
    Some(Figure { name, drawing })
}

/// The rows of each line, with the label that distinguishes the line: its test, or its number of PEs.
fn groups<'a>(spec: &Spec, rows: &[&'a Row]) -> Vec<(String, Vec<&'a Row>)> {
    let mut groups = Vec::new();
    for &(test, label) in spec.tests {
        let of_test = |row: &&&Row| match spec.over {
            Over::Threads => threads(&row.test).is_some_and(|(name, _)| name == test),
            Over::Bytes | Over::Pes => row.test == test,
        };
        let rows: Vec<&Row> = rows.iter().filter(of_test).copied().collect();
        let mut numbers: Vec<u32> = rows.iter().map(|row| row.pes).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if spec.over == Over::Bytes && numbers.len() > 1 {
            for pes in numbers {
                let of_number = rows.iter().filter(|row| row.pes == pes).copied().collect();
                let name = if label.is_empty() { format!("{pes} PEs") } else { format!("{label}, {pes} PEs") };
                groups.push((name, of_number));
            }
        } else if !rows.is_empty() {
            groups.push((label.to_owned(), rows));
        }
    }
    groups
}

/// Keep the pinned runs of the core distance with the most runs: a line that jumps between near and far is not readable. Runs that are not
/// pinned have no distance and are always kept.
fn of_one_distance(rows: Vec<&Row>) -> Vec<&Row> {
    let runs = |distance| rows.iter().filter(|row| row.distance == distance).map(|row| row.pairs).sum::<usize>();
    let pinned = [Distance::Near, Distance::Far, Distance::Mixed];
    let most = pinned.into_iter().rev().max_by_key(|&distance| runs(distance));
    let kept = |row: &&Row| row.distance == Distance::Any || Some(row.distance) == most;
    rows.iter().copied().filter(kept).collect()
}

fn points<'a>(spec: &Spec, rows: impl Iterator<Item = &'a Row>, value: fn(&Row) -> Option<f64>) -> Points {
    let point = |row: &Row| {
        let x = match spec.over {
            Over::Bytes => row.bytes,
            Over::Pes => row.pes.into(),
            Over::Threads => threads(&row.test)?.1,
        };
        let y = converted(value(row)?, row.bytes as f64, row.unit, spec.y)?;
        (x > 0 && y > 0.0 && y.is_finite()).then_some((x, y))
    };
    rows.filter_map(point).collect()
}

/// Convert a value to the chart's quantity: the time of a transfer also gives its bandwidth.
fn converted(value: f64, bytes: f64, unit: Unit, y: Y) -> Option<f64> {
    match (unit, y) {
        (Unit::Ns, Y::Time) | (Unit::GigabytesPerSecond, Y::Bandwidth) | (Unit::MillionsPerSecond, Y::Rate) => {
            Some(value)
        }
        (Unit::Ms, Y::Time) => Some(value * 1e6),
        (Unit::Ns, Y::Bandwidth) | (Unit::GigabytesPerSecond, Y::Time) => Some(bytes / value),
        _ => None,
    }
}

fn line(name: String, class: String, points: Points) -> Option<Line> {
    let points: Vec<(f64, f64)> = points.into_iter().map(|(x, y)| (x as f64, y)).collect();
    (!points.is_empty()).then_some(Line { name, class, points })
}

/// Split `put_nbi_private_x4` into the test and its number of threads.
fn threads(test: &str) -> Option<(&str, u64)> {
    let (name, number) = test.rsplit_once("_x")?;
    Some((name, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_results::results;

    fn drawn(results: &Results, name: &str) -> String {
        let sections = of(results);
        let mut figures = sections.iter().flat_map(|section| &section.figures);
        figures.find(|figure| figure.name == name).unwrap_or_else(|| panic!("no {name}")).drawing.file()
    }

    #[test]
    fn times_and_bandwidths_of_one_test_are_one_line() {
        let put = drawn(&results(), "shm-put");
        for says in ["Ferrite, 8: 10 ns", "Ferrite, 64 Ki: 546 ns", "Open MPI, 8: 25 ns", "memcpy, 1 Ki: 9 ns"] {
            assert!(put.contains(says), "{says} in {put}");
        }
        let bandwidth = drawn(&results(), "shm-put-bandwidth");
        assert!(bandwidth.contains("Ferrite, 1 Mi: 50 GB/s") && bandwidth.contains("Ferrite, 1 Ki: 51.2 GB/s"));
    }

    #[test]
    fn pes_and_threads_are_axes_too() {
        let barrier = drawn(&results(), "tcp-barrier_all");
        assert!(barrier.contains("Ferrite, 8: 30 us") && barrier.contains("Open MPI, 2: 7 us"), "{barrier}");
        let threads = drawn(&results(), "shm-put_nbi_private");
        assert!(threads.contains("Ferrite, private, 4: 300 M/s"), "{threads}");
    }

    #[test]
    fn a_line_keeps_to_one_distance() {
        let mut results = results();
        let far = Row { distance: Distance::Far, pairs: 1, ours: Some(77.0), ..results.rows[0].clone() };
        results.rows.insert(0, far);
        assert!(!drawn(&results, "shm-put").contains("77 ns"));
    }

    #[test]
    fn every_spec_has_a_file_of_its_own() {
        let mut names: Vec<(&str, bool)> = SPECS.iter().map(|spec| (spec.tests[0].0, spec.y == Y::Bandwidth)).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
