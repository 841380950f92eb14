//! The rows of the table, computed from the record.
//!
//! Each row compares one test of ours, at one size and one distance, with one reference, and judges the limit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::catalog::Job;
use crate::distance::Distance;
use crate::family::Family;
use crate::limits::{Bound, Reference, references};
use crate::pair::{ENOUGH, Pair, Reading, pair};
use crate::record::{Record, Run, Side};
use crate::sample::{Sample, Tail, Unit};
use crate::stats::{median, median_interval, quantile};
use crate::transport::Transport;

/// The judgement of a row against its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The median meets the limit.
    Met,
    /// The median misses the limit, but the limit lies within the interval: measure again, with more rounds.
    Unsure,
    /// The limit is missed.
    Missed,
    /// Fewer than [`ENOUGH`] values: too few for a judgement.
    Few,
    /// The reference has no run at the same distance.
    Unpaired,
    /// The row has no limit.
    Open,
}

impl Verdict {
    /// The name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Unsure => "unsure",
            Self::Missed => "MISSED",
            Self::Few => "too few",
            Self::Unpaired => "no like pairs",
            Self::Open => "",
        }
    }
}

/// The judgement of a ratio without a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The whole interval is on the better side.
    Faster,
    /// The whole interval is on the worse side.
    Slower,
    /// The whole interval is close to 1.
    Alike,
    /// The interval contains 1 and reaches beyond [`ALIKE`]: these runs do not determine the ratio.
    Noise,
    /// Fewer than [`ENOUGH`] pairs: no interval.
    Few,
}

/// Ratios within this distance of 1 count as alike.
const ALIKE: f64 = 0.05;

impl Standing {
    /// The name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "SLOWER",
            Self::Alike => "alike",
            Self::Noise => "within noise",
            Self::Few => "too few",
        }
    }
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub family: Family,
    pub transport: Transport,
    pub test: String,
    /// Bytes of one operation.
    pub bytes: u64,
    /// PEs of the job.
    pub pes: u32,
    /// The distance between the cores, the same for both sides.
    pub distance: Distance,
    /// Number of pairs, or of runs if there is no reference.
    pub pairs: usize,
    /// Median of our values.
    pub ours: Option<f64>,
    /// Latencies of our slowest operations.
    pub tail: Option<Tail>,
    /// Unit of the values.
    pub unit: Unit,
    /// Name of the reference.
    pub against: Option<String>,
    /// Median of the reference.
    pub reference: Option<f64>,
    /// Slow operations of the reference, if it is the peer.
    pub reference_tail: Option<Tail>,
    /// The median of the pairs' ratios, ours divided by the reference.
    pub ratio: Option<f64>,
    /// Interval that contains the median of such ratios with a confidence of 95 %.
    pub interval: Option<(f64, f64)>,
    pub wanted: Option<Bound>,
    /// Whether the limit is met.
    pub verdict: Verdict,
}

impl Row {
    /// True if the row is a comparison with the other installation.
    pub fn beside_peer(&self) -> bool {
        self.against.as_deref() == Some(Reference::Peer.name())
    }

    /// Ferrite's cost divided by the reference's cost. Below 1, Ferrite is faster, whatever the unit.
    pub fn cost(&self) -> Option<f64> {
        let cost = self.ratio.map(|ratio| if self.unit.more_is_better() { 1.0 / ratio } else { ratio });
        cost.filter(|cost| cost.is_finite() && *cost > 0.0)
    }

    /// The interval of [`Row::cost`].
    pub fn cost_interval(&self) -> Option<(f64, f64)> {
        let (low, high) = self.interval?;
        Some(if self.unit.more_is_better() { (1.0 / high, 1.0 / low) } else { (low, high) })
    }

    /// Judge the ratio without a limit; `None` if there is no ratio.
    pub fn standing(&self) -> Option<Standing> {
        self.ratio?;
        Some(match self.cost_interval() {
            None => Standing::Few,
            Some((low, high)) if low > 1.0 - ALIKE && high < 1.0 + ALIKE => Standing::Alike,
            Some((_, high)) if high < 1.0 => Standing::Faster,
            Some((low, _)) if low > 1.0 => Standing::Slower,
            Some(_) => Standing::Noise,
        })
    }

    /// Remove the limit. The verdict [`Verdict::Unpaired`] is kept.
    pub fn without_limit(&mut self) {
        self.wanted = None;
        if self.verdict != Verdict::Unpaired {
            self.verdict = Verdict::Open;
        }
    }
}

/// One row for each measurement. Near and far have separate rows; only the one with more pairs is kept, so that a measurement made at both
/// distances does not count twice.
pub fn measurements<'a>(rows: &[&'a Row]) -> Vec<&'a Row> {
    let mut best: BTreeMap<_, &Row> = BTreeMap::new();
    for &row in rows {
        let kept = best.entry((row.transport.to_string(), &row.test, row.bytes, row.pes)).or_insert(row);
        if row.pairs > kept.pairs {
            *kept = row;
        }
    }
    rows.iter().copied().filter(|row| best.values().any(|kept| std::ptr::eq(*kept, *row))).collect()
}

/// Remove redundant rows: rows without a reference and without a limit, if another row shows the same value beside a reference.
pub fn without_repetition(rows: &mut Vec<Row>) {
    let key = |row: &Row| (row.transport.clone(), row.test.clone(), row.bytes, row.pes, row.distance);
    let beside: Vec<_> = rows.iter().filter(|row| row.against.is_some()).map(key).collect();
    rows.retain(|row| row.against.is_some() || row.wanted.is_some() || !beside.contains(&key(row)));
}

/// All rows of a record, in the order of the jobs and of the programs' output.
pub fn rows(jobs: &[Job], record: &Record) -> Vec<Row> {
    jobs.iter().enumerate().flat_map(|(at, job)| job_rows(at, job, record)).collect()
}

fn job_rows(at: usize, job: &Job, record: &Record) -> Vec<Row> {
    let runs: Vec<&Run> = record.runs.iter().filter(|run| run.job == at).collect();
    let of = |side| runs.iter().copied().filter(move |run| run.side == side).collect::<Vec<_>>();
    let sides = Sides { ours: of(Side::Ours), peer: of(Side::Peer), bare: of(Side::Bare) };
    let Some(first) = sides.ours.first() else { return Vec::new() };
    first.samples.iter().flat_map(|sample| sides.test_rows(job, sample)).collect()
}

struct Sides<'a> {
    ours: Vec<&'a Run>,
    peer: Vec<&'a Run>,
    bare: Vec<&'a Run>,
}

impl Sides<'_> {
    fn test_rows(&self, job: &Job, sample: &Sample) -> Vec<Row> {
        let ours = readings(&self.ours, &sample.test, sample.bytes);
        let blank = Row {
            family: job.family,
            transport: job.transport.clone(),
            test: sample.test.clone(),
            bytes: sample.bytes,
            pes: job.pes,
            distance: Distance::Any,
            pairs: 0,
            ours: None,
            tail: tail(&self.ours, sample),
            unit: sample.unit,
            against: None,
            reference: None,
            reference_tail: None,
            ratio: None,
            interval: None,
            wanted: None,
            verdict: Verdict::Open,
        };
        let mut rows = Vec::new();
        for (against, wanted) in references(&job.transport, &sample.test, sample.bytes, job.pes) {
            match self.reference(against, sample) {
                _ if against == Reference::Itself => rows.extend(rows_alone(&ours, &blank, wanted)),
                Some(reference) => {
                    let reference_tail = (against == Reference::Peer).then(|| tail(&self.peer, sample)).flatten();
                    let against = Some(against.name().to_owned());
                    let blank = Row { against, wanted, reference_tail, ..blank.clone() };
                    rows.extend(rows_paired(&ours, &reference, &blank));
                }
                None => {}
            }
        }
        if rows.is_empty() { rows_alone(&ours, &blank, None) } else { rows }
    }

    /// The readings of a reference; `None` if it was not run.
    fn reference(&self, against: Reference, sample: &Sample) -> Option<Vec<Reading>> {
        let found = match against {
            Reference::Peer => readings(&self.peer, &sample.test, sample.bytes),
            Reference::Bare(test) => readings(&self.bare, test, sample.bytes),
            Reference::Own(test) => readings(&self.ours, test, sample.bytes),
            Reference::Probe => self.ours.iter().filter_map(|run| probe_reading(run)).collect(),
            Reference::Itself => Vec::new(),
        };
        (!found.is_empty()).then_some(found)
    }
}

fn probe_reading(run: &Run) -> Option<Reading> {
    let (before, after) = run.probes_ns?;
    Some(Reading { round: run.round, distance: run.distance, value: (before + after) / 2.0 })
}

fn readings(runs: &[&Run], test: &str, bytes: u64) -> Vec<Reading> {
    let of_run = |run: &&Run| {
        let sample = run.samples.iter().find(|sample| sample.test == test && sample.bytes == bytes)?;
        Some(Reading { round: run.round, distance: run.distance, value: sample.value })
    };
    runs.iter().filter_map(of_run).collect()
}

/// The slow operations of a test in all runs: the median of the runs' 99th percentiles, and the maximum of all.
fn tail(runs: &[&Run], sample: &Sample) -> Option<Tail> {
    let same = |other: &&Sample| other.test == sample.test && other.bytes == sample.bytes;
    let tails: Vec<Tail> = runs.iter().filter_map(|run| run.samples.iter().find(same)?.tail).collect();
    let p99 = median(&tails.iter().map(|tail| tail.p99).collect::<Vec<_>>())?;
    Some(Tail { p99, max: tails.iter().map(|tail| tail.max).fold(0.0, f64::max) })
}

fn by_distance(readings: &[Reading]) -> BTreeMap<Distance, Vec<f64>> {
    let mut states: BTreeMap<Distance, Vec<f64>> = BTreeMap::new();
    for reading in readings {
        states.entry(reading.distance).or_default().push(reading.value);
    }
    states
}

/// Rows that need no reference. Mixed runs have a row too, although they cannot be compared.
fn rows_alone(ours: &[Reading], blank: &Row, wanted: Option<Bound>) -> Vec<Row> {
    let row = |(distance, values): (Distance, Vec<f64>)| {
        // Events that must not happen are not averaged: a single run with such an event counts.
        let worst = blank.unit == Unit::Count;
        let ours = quantile(&values, if worst { 1.0 } else { 0.5 });
        let verdict = match (wanted, ours) {
            (Some(wanted), Some(count)) if worst && !wanted.met_by(count) => Verdict::Missed,
            _ => judge(wanted, &values),
        };
        Row { distance, pairs: values.len(), ours, wanted, verdict, ..blank.clone() }
    };
    by_distance(ours).into_iter().map(row).collect()
}

/// One row for each distance at which both sides ran. If there is no such distance, the rows have [`Verdict::Unpaired`].
fn rows_paired(ours: &[Reading], reference: &[Reading], blank: &Row) -> Vec<Row> {
    let pairs = pair(ours, reference);
    if !pairs.is_empty() {
        return pairs.into_iter().map(|(distance, pairs)| paired(distance, &pairs, blank)).collect();
    }
    let references = by_distance(reference);
    let row = |(distance, values): (Distance, Vec<f64>)| {
        let reference = references.get(&distance).and_then(|values| median(values));
        Row { distance, ours: median(&values), reference, verdict: Verdict::Unpaired, ..blank.clone() }
    };
    by_distance(ours).into_iter().map(row).collect()
}

fn paired(distance: Distance, pairs: &[Pair], blank: &Row) -> Row {
    // Counts of events have no meaningful ratio.
    let ratios = pairs.iter().filter(|_| blank.unit != Unit::Count).filter_map(Pair::ratio).collect::<Vec<f64>>();
    let column = |value: fn(&Pair) -> f64| median(&pairs.iter().map(value).collect::<Vec<_>>());
    Row {
        distance,
        pairs: pairs.len(),
        ours: column(|pair| pair.ours),
        reference: column(|pair| pair.reference),
        ratio: median(&ratios),
        interval: interval(&ratios),
        verdict: judge(blank.wanted, &ratios),
        ..blank.clone()
    }
}

fn interval(values: &[f64]) -> Option<(f64, f64)> {
    median_interval(values).filter(|_| values.len() >= ENOUGH)
}

fn judge(wanted: Option<Bound>, values: &[f64]) -> Verdict {
    let (Some(wanted), Some(middle)) = (wanted, median(values)) else { return Verdict::Open };
    let Some((low, high)) = interval(values) else { return Verdict::Few };
    if wanted.met_by(middle) {
        Verdict::Met
    } else if wanted.met_by(low) || wanted.met_by(high) {
        Verdict::Unsure
    } else {
        Verdict::Missed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affinity::Affinities;
    use crate::catalog::{Pes, Scale, jobs};

    fn run(side: Side, round: u32, distance: Distance, test: &str, value: f64) -> Run {
        let samples = vec![Sample::new(test, 8, value, Unit::Ns)];
        Run { job: 0, side, round, distance, probes_ns: Some((50.0, 54.0)), affinities: Affinities::default(), samples }
    }

    fn check(test: &str, runs: Vec<Run>) -> Vec<Row> {
        let scale = Scale {
            pes: Pes::new(&[2], 2, false),
            sizes: vec![],
            cores: 2,
            threads: 2,
            quick: true,
            transport: Transport::Shm,
        };
        rows(&jobs(Family::P, &scale), &Record { runs, ..Record::default() })
            .into_iter()
            .inspect(|row| assert_eq!(row.test, test))
            .collect()
    }

    fn both(rounds: std::ops::Range<u32>, distance: Distance, test: &str, ours: f64, peer: f64) -> Vec<Run> {
        let round = |at| [run(Side::Ours, at, distance, test, ours), run(Side::Peer, at, distance, test, peer)];
        rounds.flat_map(round).collect()
    }

    #[test]
    fn near_and_far_have_rows_of_their_own() {
        let mut runs = both(0..3, Distance::Near, "get", 5.0, 16.0);
        runs.extend(both(3..6, Distance::Far, "get", 9.0, 18.0));
        let rows = check("get", runs);
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].distance, rows[0].verdict), (Distance::Near, Verdict::Met));
        assert_eq!((rows[1].distance, rows[1].ratio, rows[1].verdict), (Distance::Far, Some(0.5), Verdict::Missed));
    }

    #[test]
    fn one_pair_is_shown_and_not_judged() {
        let rows = check("get", both(0..1, Distance::Near, "get", 5.0, 16.0));
        assert_eq!((rows[0].ratio, rows[0].interval, rows[0].verdict), (Some(5.0 / 16.0), None, Verdict::Few));
        let mut glance = rows[0].clone();
        glance.without_limit();
        assert_eq!((glance.ratio, glance.wanted, glance.verdict), (rows[0].ratio, None, Verdict::Open));
        assert_eq!(glance.standing(), Some(Standing::Few));
    }

    #[test]
    fn without_like_pairs_nothing_is_judged() {
        let rows = check(
            "get",
            vec![run(Side::Ours, 0, Distance::Near, "get", 5.0), run(Side::Peer, 0, Distance::Far, "get", 16.0)],
        );
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].verdict, rows[0].ratio), (Verdict::Unpaired, None));
    }

    #[test]
    fn without_a_peer_only_ours_is_shown() {
        let rows = check("get", vec![run(Side::Ours, 0, Distance::Near, "get", 5.0)]);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].against.as_deref(), rows[0].verdict, rows[0].ours), (None, Verdict::Open, Some(5.0)));
    }

    #[test]
    fn a_ping_pong_is_held_against_the_probes_around_it() {
        let runs = (0..3).map(|round| run(Side::Ours, round, Distance::Near, "pingpong", 54.6)).collect();
        let rows = check("pingpong", runs);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].reference, rows[0].verdict), (Some(52.0), Verdict::Met));
    }

    #[test]
    fn one_broken_run_of_the_litmus_breaks_it() {
        let seen = |count| {
            let mut run = run(Side::Ours, 0, Distance::Near, "quiet_litmus_at_writer", count);
            run.samples[0].unit = Unit::Count;
            run
        };
        let rows = check("quiet_litmus_at_writer", vec![seen(0.0), seen(0.0), seen(0.0)]);
        assert_eq!((rows[0].ours, rows[0].verdict), (Some(0.0), Verdict::Met));
        let rows = check("quiet_litmus_at_writer", vec![seen(0.0), seen(1.0), seen(0.0)]);
        assert_eq!((rows[0].ours, rows[0].verdict), (Some(1.0), Verdict::Missed));
    }

    #[test]
    fn a_value_without_a_limit_is_shown_once() {
        let mut rows = check("get", both(0..3, Distance::Near, "get", 5.0, 16.0));
        let alone = Row { against: None, wanted: None, ..rows[0].clone() };
        rows.extend([
            Row { wanted: Some(Bound::AtMost(9.0)), ..alone.clone() },
            Row { bytes: 9, ..alone.clone() },
            alone,
        ]);
        without_repetition(&mut rows);
        assert_eq!(
            rows.iter().map(|row| (row.bytes, row.against.is_some())).collect::<Vec<_>>(),
            [(8, true), (8, false), (9, false)]
        );
    }

    #[test]
    fn a_ratio_that_noise_swallows_says_nothing() {
        let row = |unit, interval: (f64, f64)| {
            let mut row = check("get", both(0..3, Distance::Near, "get", 5.0, 16.0)).remove(0);
            (row.unit, row.interval, row.ratio) = (unit, Some(interval), Some(interval.0));
            row
        };
        for (unit, interval, expected) in [
            (Unit::Ns, (0.5, 0.9), Standing::Faster),
            (Unit::Ns, (1.01, 1.2), Standing::Slower),
            (Unit::Ns, (0.7, 1.2), Standing::Noise),
            (Unit::Ns, (0.97, 1.02), Standing::Alike),
            (Unit::MillionsPerSecond, (0.5, 0.9), Standing::Slower),
            (Unit::GigabytesPerSecond, (1.5, 2.0), Standing::Faster),
        ] {
            assert_eq!(row(unit, interval).standing(), Some(expected), "{unit:?} {interval:?}");
        }
        assert_eq!(row(Unit::Figure("GUP/s"), (2.0, 4.0)).cost_interval(), Some((0.25, 0.5)));
    }

    #[test]
    fn a_limit_within_the_interval_is_unsure() {
        assert_eq!(judge(Some(Bound::AtMost(0.4)), &[0.37, 0.41, 0.45]), Verdict::Unsure);
        assert_eq!(judge(Some(Bound::AtMost(0.4)), &[0.405, 0.41, 0.45]), Verdict::Missed);
        assert_eq!(judge(Some(Bound::AtLeast(1.0)), &[0.98, 0.99, 1.02]), Verdict::Unsure);
        assert_eq!(judge(Some(Bound::AtLeast(1.0)), &[0.98, 1.01, 1.02]), Verdict::Met);
        assert_eq!(judge(None, &[1.0]), Verdict::Open);
    }
}
