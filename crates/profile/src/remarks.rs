//! The most important findings about a job, in words. They come first on the page.

use crate::{
    Job,
    heat::heat,
    record::{Class, size_bin},
};
use std::collections::BTreeMap;

/// A share below this is not worth a remark.
const WORTH: f64 = 0.05;
/// If each PE has fewer operations than this, their size does not matter.
const MANY: u64 = 10_000;

/// The remarks, the most important first.
pub fn remarks(job: &Job) -> Vec<String> {
    [
        shared_cores(job),
        in_library(job),
        slowest_routine(job),
        latecomer(job),
        imbalance(job),
        small_operations(job),
        busiest_pair(job),
        lost(job),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A share, as a percentage.
fn percent(part: f64) -> String {
    if part > 0.0 && part < 0.01 { format!("{:.1} %", 100.0 * part) } else { format!("{:.0} %", 100.0 * part) }
}

/// A time with three digits.
pub fn time(ns: u64) -> String {
    let scale = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")].into_iter().find(|(unit, _)| ns as f64 >= *unit);
    let (unit, name) = scale.unwrap_or((1.0, "ns"));
    let value = ns as f64 / unit;
    let digits = if unit == 1.0 || value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {name}")
}

/// A size with three digits.
pub fn size(bytes: u64) -> String {
    let scale = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")].into_iter().find(|(shift, _)| bytes >> shift > 0);
    let Some((shift, name)) = scale else { return format!("{bytes} B") };
    let value = bytes as f64 / (1_u64 << shift) as f64;
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {name}")
}

fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

fn of_class(job: &Job, class: Class) -> u64 {
    job.classes.iter().map(|times| times[class as usize]).sum()
}

/// Hosts with more PEs than cores: their PEs also wait for a core, which looks like waiting for a peer.
fn shared_cores(job: &Job) -> Option<String> {
    let mut hosts: BTreeMap<u32, (&str, u32, u32)> = BTreeMap::new();
    for record in job.records.iter().filter(|record| record.shared_cpus > 0) {
        hosts.entry(record.node).or_insert((&record.host, 0, record.shared_cpus)).1 += 1;
    }
    let (host, pes, cpus) = *hosts.values().max_by_key(|(_, pes, cpus)| pes * 1000 / cpus)?;
    let cpus = if cpus == 1 { "one CPU".to_owned() } else { format!("{cpus} CPUs") };
    Some(format!("{pes} PEs share {cpus} on host {host}: the times below include waiting for a CPU."))
}

fn in_library(job: &Job) -> Option<String> {
    let all = job.pe_time();
    let inside: u64 = job.routines.iter().map(|one| one.ns).sum();
    let mut parts: Vec<(u64, &str)> = Class::ALL
        .iter()
        .map(|&class| (of_class(job, class), class.name()))
        .filter(|(ns, _)| share(*ns, all) >= WORTH)
        .collect();
    parts.sort_by(|a, b| b.cmp(a));
    let parts: Vec<String> = parts.iter().map(|(ns, name)| format!("{name} {}", percent(share(*ns, all)))).collect();
    let of_which = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    (all > 0).then(|| format!("The PEs spend {} of their time in the library{of_which}.", percent(share(inside, all))))
}

fn slowest_routine(job: &Job) -> Option<String> {
    let first = job.routines.first()?;
    let part = share(first.ns, job.pe_time());
    (part >= WORTH).then(|| {
        format!(
            "{} takes most of that: {} of the time, {} a call, {} the longest.",
            first.name,
            percent(part),
            time(first.ns / first.calls.max(1)),
            time(first.ns_max)
        )
    })
}

fn latecomer(job: &Job) -> Option<String> {
    let (pe, late) = job.lateness.iter().enumerate().max_by_key(|(_, late)| late.waited)?;
    let all: u64 = job.lateness.iter().map(|late| late.waited).sum();
    let met = job.lateness.iter().map(|late| late.times).sum::<u64>();
    // With two PEs the share would have to be all.
    let stands_out = share(late.waited, all) >= 2.0 / f64::from(job.pes.max(1)) || job.pes == 2;
    let matters = share(late.waited, job.pe_time()) * job.stride as f64 >= WORTH / 5.0;
    (stands_out && matters).then(|| {
        format!(
            "PE {pe} comes last to {} of {met} collectives, and the others wait {} for it, {} of all such waiting.",
            late.times,
            time(late.waited),
            percent(share(late.waited, all))
        )
    })
}

/// Remark on the PE that spends the most time outside of the library, if that is well above the mean.
fn imbalance(job: &Job) -> Option<String> {
    let computing: Vec<(u64, u32)> = job
        .records
        .iter()
        .filter_map(|record| {
            let inside: u64 = job.classes.get(record.pe as usize)?.iter().sum();
            Some((crate::job::open_time(record).saturating_sub(inside), record.pe))
        })
        .collect();
    let (most, pe) = *computing.iter().max()?;
    let mean = computing.iter().map(|(ns, _)| ns).sum::<u64>() / computing.len() as u64;
    let above = share(most.saturating_sub(mean), mean);
    let matters = share(most - mean.min(most), job.end - job.begin) >= WORTH;
    (above >= 0.1 && matters).then(|| {
        format!("PE {pe} computes {} more than the mean: {} against {}.", percent(above), time(most), time(mean))
    })
}

fn small_operations(job: &Job) -> Option<String> {
    let sizes = job.sizes();
    let bins = [Class::Put, Class::Get].map(|class| &sizes[class as usize]);
    let all: u64 = bins.iter().flat_map(|bins| bins.iter()).sum();
    let small: u64 = bins.iter().flat_map(|bins| &bins[..=size_bin(8)]).sum();
    (all / u64::from(job.pes.max(1)) >= MANY && share(small, all) >= 0.9).then(|| {
        format!(
            "{} of {all} puts and gets move less than 16 bytes: larger ones, or an aggregator (shmemx_agg), would cost less.",
            percent(share(small, all))
        )
    })
}

fn busiest_pair(job: &Job) -> Option<String> {
    let heat = heat(job, usize::MAX);
    let apart = || heat.cells.iter().filter(|cell| cell.from != cell.to);
    let all: u64 = apart().map(|cell| cell.bytes).sum();
    let first = apart().max_by_key(|cell| cell.bytes)?;
    // At least twice the mean of all pairs with traffic.
    let stands_out = share(first.bytes, all) * apart().count() as f64 >= 2.0;
    (stands_out && share(first.bytes, all) >= WORTH / 5.0).then(|| {
        format!(
            "Most is moved between PE {} and PE {}, which asked for it: {}, {} of all.",
            first.to,
            first.from,
            size(first.bytes),
            percent(share(first.bytes, all))
        )
    })
}

fn lost(job: &Job) -> Option<String> {
    let missing = job.pes as usize - job.records.len().min(job.pes as usize);
    (missing > 0).then(|| format!("{missing} PEs have left no record: what they did is missing here."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Record, Routine};

    #[test]
    fn numbers_have_three_digits() {
        let times = [(7, "7 ns"), (1_234, "1.23 µs"), (56_780_000, "56.8 ms"), (345_600_000_000, "346 s")];
        times.iter().for_each(|&(ns, wanted)| assert_eq!(time(ns), wanted));
        let sizes = [(7, "7 B"), (1_536, "1.50 KiB"), (20 << 20, "20.0 MiB"), (500 << 30, "500 GiB")];
        sizes.iter().for_each(|&(bytes, wanted)| assert_eq!(size(bytes), wanted));
    }

    #[test]
    fn pes_that_share_cores_are_the_first_remark() {
        let record = |pe| Record { pe, pes: 4, end: 1000, host: "a".into(), shared_cpus: 2, ..Record::default() };
        let job = Job::of((0..4).map(record).collect());
        let told = "4 PEs share 2 CPUs on host a: the times below include waiting for a CPU.";
        assert_eq!(remarks(&job).first().map(String::as_str), Some(told));
    }

    #[test]
    fn who_computes_more_is_named() {
        let record = |pe: u32, wait: u64| Record {
            pe,
            pes: 4,
            end: 1_000_000,
            routines: vec![Routine {
                name: "shmem_barrier_all".into(),
                class: Class::Collective,
                calls: 10,
                ns: wait,
                ns_max: wait / 5,
                bytes: 0,
            }],
            ..Record::default()
        };
        let job = Job::of(vec![record(0, 500_000), record(1, 500_000), record(2, 0), record(3, 500_000)]);
        assert_eq!(
            remarks(&job),
            [
                "The PEs spend 38 % of their time in the library: collective 38 %.",
                "shmem_barrier_all takes most of that: 38 % of the time, 37.5 µs a call, 100 µs the longest.",
                "PE 2 computes 60 % more than the mean: 1.00 ms against 625 µs.",
            ]
        );
        assert_eq!(remarks(&Job::of(Vec::new())), [""; 0]);
    }
}
