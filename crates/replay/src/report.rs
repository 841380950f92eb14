//! The times by routine, and the limits of the run.

use crate::{
    replay::{Outcome, replay},
    trace::Trace,
};
use ferrite_sim::model::{Link, Machine, Picos};
use std::fmt::Write;

/// A change of the machine, with its name. The report says how much of the run it would save.
type Wish = (&'static str, fn(Machine) -> Machine);

const WISHES: [Wish; 3] = [
    ("no latency between nodes", |machine| Machine { far: Link { latency: 0, ..machine.far }, ..machine }),
    ("no limit of bandwidth between nodes", |machine| Machine {
        far: Link { gap: 0, gap_per_byte: 0, ..machine.far },
        ..machine
    }),
    ("no work of processors for messages", |machine| Machine { far: Link { overhead: 0, ..machine.far }, ..machine }),
];

/// The time of each routine in the trace, summed over the PEs.
pub fn measured(trace: &Trace) -> Vec<Picos> {
    let mut times = vec![0; trace.routines.len()];
    trace.pes.iter().flatten().for_each(|call| times[call.routine] += 1000 * (call.end - call.begin));
    times
}

/// A time with three digits.
fn time(picos: Picos) -> String {
    let scale = [(1e12, "s"), (1e9, "ms"), (1e6, "us")].into_iter().find(|(unit, _)| picos as f64 >= *unit);
    let (unit, name) = scale.unwrap_or((1e3, "ns"));
    let value = picos as f64 / unit;
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {name}")
}

/// Replay a trace with as many PEs as it has, and with `pes`, and report both times beside the traced ones.
pub fn report(trace: &Trace, pes: u32, machine: Machine) -> Result<String, String> {
    let traced = trace.pes.len() as u32;
    let again = replay(trace, traced, machine)?;
    let scaled = if pes == traced { again.clone() } else { replay(trace, pes, machine)? };
    let mut text = format!(
        "{}: {traced} PEs traced, replayed with {pes}, {} a node\n\nmean time of a PE    {:>12} {:>12} {:>12}\n",
        trace.program,
        trace.per_host,
        "traced",
        format!("with {traced}"),
        format!("with {pes}")
    );
    let mut row = |name: &str, times: [Picos; 3]| {
        let [traced, again, scaled] = times.map(time);
        let _ = writeln!(text, "{name:<28} {traced:>12} {again:>12} {scaled:>12}");
    };
    let mean = |sum: Picos, pes: u32| sum / u64::from(pes);
    let measured = measured(trace);
    let mut order: Vec<usize> = (0..measured.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(scaled.routines[at] / u64::from(pes)));
    for at in order {
        let times = [mean(measured[at], traced), mean(again.routines[at], traced), mean(scaled.routines[at], pes)];
        row(&trace.routines[at], times);
    }
    row("(the program)", [mean(again.computing, traced), mean(again.computing, traced), mean(scaled.computing, pes)]);
    let ends = trace.pes.iter().flatten().map(|call| call.end).max().unwrap_or(0);
    row("the whole run", [1000 * ends, again.time, scaled.time]);
    text += "\n";
    text += &limits(trace, &scaled, machine)?;
    if trace.left_out > 0 {
        let _ = writeln!(text, "{} calls of other threads than each PE's first are left out", trace.left_out);
    }
    Ok(text)
}

/// The share of the run that each better network would save, and the share that the mean PE computes, which no network saves.
fn limits(trace: &Trace, scaled: &Outcome, machine: Machine) -> Result<String, String> {
    let part = |time: Picos| 100.0 * time as f64 / scaled.time.max(1) as f64;
    let mut saved = Vec::new();
    for (what, better) in WISHES {
        let time = replay(trace, scaled.pes, better(machine))?.time;
        saved.push((part(scaled.time.saturating_sub(time)), what));
    }
    saved.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut text = String::from("what limits\n");
    let computing = part(scaled.computing / u64::from(scaled.pes));
    let _ = writeln!(text, "  {computing:>5.1} %  of the run the mean PE computes");
    for (percent, what) in saved {
        let _ = writeln!(text, "  {percent:>5.1} %  of the run would be saved by {what}");
    }
    Ok(text)
}
