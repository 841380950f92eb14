//! The page: one file that any browser opens, without a network. It contains the data as JSON, a style and a script.

use crate::{
    Job,
    heat::{self, CELLS_MAX},
    job::{Collective, open_time},
    json::{list, object, text},
    record::{Class, HeapUse},
    remarks::remarks,
};

/// Number of routines whose time is listed for each PE.
const ROUTINES_BY_PE: usize = 24;
/// Number of collectives that are listed.
const SLOWEST: usize = 50;
/// Number of PEs that are listed as latecomers.
const LATECOMERS: usize = 32;
/// Maximum number of points in the chart of the heap.
const HEAP_POINTS: usize = 600;

/// The page of a job.
pub fn page(job: &Job) -> String {
    let data = data(job);
    let name = format!("{} on {} PEs", job.program, job.pes);
    include_str!("page/page.html")
        .replace("@TITLE@", &escaped(&name))
        .replace("@STYLE@", include_str!("page/page.css"))
        .replace("@DRAWING@", include_str!("page/drawing.js"))
        .replace("@SCRIPT@", include_str!("page/page.js"))
        // Last, so that the other marks are not replaced inside the data.
        .replace("@DATA@", &data)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('@', "&#64;")
}

/// The data that the script draws. Times are in microseconds.
fn data(job: &Job) -> String {
    let by_class = Class::ALL.map(|class| list(job.classes.iter().map(|times| us(times[class as usize]))));
    // A PE may have left no record.
    let mut by_pe = vec![None; job.pes as usize];
    job.records.iter().for_each(|record| by_pe[record.pe as usize] = Some(record));
    let open = by_pe.iter().map(|record| us(record.map_or(0, open_time)));
    let hosts = list(by_pe.iter().map(|record| text(record.map_or("?", |record| &record.host))));
    object([
        ("program", text(&job.program)),
        ("pes", job.pes.to_string()),
        ("hosts", hosts),
        ("us", us(job.end - job.begin)),
        ("remarks", list(remarks(job).iter().map(|one| text(one)))),
        ("classes", list(Class::ALL.iter().map(|class| text(class.name())))),
        ("open", list(open)),
        ("times", list(by_class)),
        ("routines", routines(job)),
        ("heat", heat(job)),
        ("sizes", list(job.sizes().into_iter().map(list))),
        ("transports", transports(job)),
        ("heap", heap(job)),
        ("collectives", collectives(job)),
    ])
}

/// Microseconds, with no more digits than matter.
fn us(ns: u64) -> String {
    if ns.is_multiple_of(1000) || ns >= 1_000_000 {
        (ns / 1000).to_string()
    } else {
        format!("{:.1}", ns as f64 / 1000.0)
    }
}

fn routines(job: &Job) -> String {
    list(job.routines.iter().enumerate().map(|(at, one)| {
        let by_pe = if at < ROUTINES_BY_PE { list(one.by_pe.iter().map(|&ns| us(ns))) } else { "[]".to_owned() };
        let most = one.by_pe.iter().enumerate().max_by_key(|(_, ns)| **ns).map_or(0, |(pe, _)| pe);
        object([
            ("name", text(&one.name)),
            ("class", (one.class as u8).to_string()),
            ("calls", one.calls.to_string()),
            ("us", us(one.ns)),
            ("max", us(one.ns_max)),
            ("bytes", one.bytes.to_string()),
            ("most", most.to_string()),
            ("most_us", us(one.by_pe.get(most).copied().unwrap_or(0))),
            ("by_pe", by_pe),
        ])
    }))
}

fn heat(job: &Job) -> String {
    let heat = heat::heat(job, CELLS_MAX);
    let cells = heat.cells.iter().flat_map(|cell| [cell.from.into(), cell.to.into(), cell.bytes, cell.ops]);
    object([("block", heat.block.to_string()), ("side", heat.side.to_string()), ("cells", list(cells))])
}

fn transports(job: &Job) -> String {
    list(job.transports().into_iter().map(|(name, ops, bytes, pairs)| {
        object([
            ("name", text(&name)),
            ("ops", ops.to_string()),
            ("bytes", bytes.to_string()),
            ("pairs", pairs.to_string()),
        ])
    }))
}

/// Only the first PE's heap is shown: it stands for all, because the heap is symmetric.
fn heap(job: &Job) -> String {
    let all = job.records.first().map_or(&[][..], |record| &record.heap);
    let kept = thinned(all);
    list(
        kept.iter()
            .map(|one| list([us(one.at.saturating_sub(job.begin)), one.live.to_string(), one.extent.to_string()])),
    )
}

/// Reduce the points to at most [`HEAP_POINTS`]: keep the highest of each run.
fn thinned(all: &[HeapUse]) -> Vec<HeapUse> {
    let run = all.len().div_ceil(HEAP_POINTS).max(1);
    all.chunks(run).filter_map(|run| run.iter().max_by_key(|one| one.live)).copied().collect()
}

fn collectives(job: &Job) -> String {
    let mut slowest: Vec<&Collective> = job.collectives.iter().filter(|one| one.team.size > 1).collect();
    let seen = slowest.len();
    slowest.sort_by_key(|one| std::cmp::Reverse(one.end - one.begin));
    slowest.truncate(SLOWEST);
    let slowest = slowest.into_iter().map(|one| {
        object([
            ("routine", text(&one.routine)),
            ("members", one.team.size.to_string()),
            ("first", one.team.first.to_string()),
            ("at", us(one.begin - job.begin)),
            ("us", us(one.end - one.begin)),
            ("last", one.last.to_string()),
            ("late", us(one.complete - one.begin)),
            ("bytes", one.bytes.to_string()),
            ("site", text(one.site.as_deref().unwrap_or(""))),
        ])
    });
    let mut late: Vec<usize> = (0..job.lateness.len()).filter(|&pe| job.lateness[pe].times > 0).collect();
    late.sort_by_key(|&pe| std::cmp::Reverse(job.lateness[pe].waited));
    late.truncate(LATECOMERS);
    let late = late.into_iter().map(|pe| {
        let one = job.lateness[pe];
        object([("pe", pe.to_string()), ("times", one.times.to_string()), ("waited", us(one.waited))])
    });
    object([
        ("seen", seen.to_string()),
        ("stride", job.stride.to_string()),
        ("slowest", list(slowest)),
        ("late", list(late)),
    ])
}
