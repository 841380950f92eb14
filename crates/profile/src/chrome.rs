//! A trace in the JSON of Chrome's `about:tracing`, which Perfetto reads: a process for each PE, a track for each of its threads, a
//! slice for each call, and an arrow from each put to the wait that it ended.

use crate::{
    Job, Record,
    flows::{End, flows},
    json::{list, object, text},
    record::Event,
};
use std::io::{self, Write};

/// Write the trace of a job.
pub fn write(job: &Job, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\"traceEvents\":[", about(job))?;
    let mut first = true;
    let mut put = |event: String| {
        let comma = if std::mem::take(&mut first) { "" } else { "," };
        write!(out, "{comma}\n{event}")
    };
    for record in &job.records {
        put(named("process_name", record.pe, None, &format!("PE {} on {}", record.pe, record.host)))?;
        put(metadata("process_sort_index", record.pe, &format!("{{\"sort_index\":{}}}", record.pe)))?;
        let threads = record.events.iter().map(|event| event.thread + 1).max().unwrap_or(0);
        for thread in 0..threads {
            let name = if thread == 0 { "main".to_owned() } else { format!("thread {thread}") };
            put(named("thread_name", record.pe, Some(thread), &name))?;
        }
        for event in &record.events {
            put(slice(job, record, event))?;
        }
    }
    for (id, flow) in flows(&job.records).into_iter().enumerate() {
        put(arrow(job, id, "s", flow.from))?;
        put(arrow(job, id, "f", flow.to))?;
    }
    write!(out, "\n]}}\n")
}

fn about(job: &Job) -> String {
    let lost: u64 = job.records.iter().map(|record| record.events_lost).sum();
    object([
        ("program", text(&job.program)),
        ("pes", job.pes.to_string()),
        ("hosts", list(job.records.iter().map(|record| text(&record.host)))),
        ("calls_lost", lost.to_string()),
    ])
}

/// Time since the job's beginning, in microseconds, as the format requires.
fn us(job: &Job, at: u64) -> String {
    let ns = at.saturating_sub(job.begin);
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

fn metadata(kind: &str, pe: u32, args: &str) -> String {
    format!("{{\"ph\":\"M\",\"name\":\"{kind}\",\"pid\":{pe},\"args\":{args}}}")
}

fn named(kind: &str, pe: u32, thread: Option<u32>, name: &str) -> String {
    let name = text(name);
    match thread {
        None => metadata(kind, pe, &format!("{{\"name\":{name}}}")),
        Some(thread) => {
            format!("{{\"ph\":\"M\",\"name\":\"{kind}\",\"pid\":{pe},\"tid\":{thread},\"args\":{{\"name\":{name}}}}}")
        }
    }
}

fn slice(job: &Job, record: &Record, event: &Event) -> String {
    let routine = record.routines.get(event.routine as usize);
    let (name, class) = routine.map_or(("unknown", ""), |one| (&one.name, one.class.name()));
    let mut args = Vec::new();
    args.extend(event.peer.map(|pe| ("peer", pe.to_string())));
    if event.bytes > 0 {
        args.push(("bytes", event.bytes.to_string()));
    }
    if let Some((team, number)) = event.meeting {
        let parts = [team.slot.into(), team.born, team.first.into(), team.size.into(), number];
        args.push(("collective", list(parts)));
    }
    args.extend(
        (event.site as usize).checked_sub(1).and_then(|site| record.sites.get(site)).map(|at| ("at", text(at))),
    );
    let length = event.end.saturating_sub(event.begin);
    object([
        ("ph", "\"X\"".to_owned()),
        ("name", text(name)),
        ("cat", text(class)),
        ("pid", record.pe.to_string()),
        ("tid", event.thread.to_string()),
        ("ts", us(job, event.begin)),
        ("dur", format!("{}.{:03}", length / 1000, length % 1000)),
        ("args", object(args)),
    ])
}

fn arrow(job: &Job, id: usize, ph: &str, end: End) -> String {
    let record = &job.records[end.record];
    let event = &record.events[end.event];
    // `"bp":"e"` binds the arrow's end to the slice that encloses it.
    let at = if ph == "s" { event.begin } else { event.end };
    let enclosing = if ph == "f" { ",\"bp\":\"e\"" } else { "" };
    format!(
        "{{\"ph\":\"{ph}\",\"name\":\"put to wait\",\"cat\":\"flow\",\"id\":{id},\"pid\":{},\"tid\":{},\"ts\":{}{enclosing}}}",
        record.pe,
        event.thread,
        us(job, at)
    )
}
