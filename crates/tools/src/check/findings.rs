//! How a mistake is reported: one paragraph or one line of JSON, once.

use super::{Check, hooks::program_is_seen};
use core::{
    fmt::Write as _,
    sync::atomic::{
        AtomicU32,
        Ordering::{AcqRel, Relaxed},
    },
};
use ferrite_callstack::caller;
use ferrite_check::{EXIT_CODE, area::hash};
use ferrite_fabric::{Error, Result};
use ferrite_runtime::World;
use rustix::system::uname;
use std::{
    io::Write as _,
    thread,
    time::{Duration, Instant},
};

/// How long a PE waits for the report of another one before it ends the job.
const PATIENCE: Duration = Duration::from_secs(1);

/// Severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Weight {
    /// The program is correct, but may not do what its author intends: it leaves something to finalize.
    Note,
    /// The program is wrong.
    Error,
    /// The program is wrong, and cannot go on: it would hang, or destroy its own data.
    Fatal,
}

#[derive(Debug)]
pub(super) struct Finding {
    /// Kind of the mistake, which suppressions name.
    pub kind: &'static str,
    pub weight: Weight,
    /// Description of the mistake and of its place.
    pub what: String,
    /// Description of correct use.
    pub right: String,
    /// Places in the source that the finding names.
    pub places: Vec<String>,
}

/// Findings that the user does not want reported.
#[derive(Default, Debug)]
pub(super) struct Suppressions {
    lines: Vec<(String, String)>,
}

impl Suppressions {
    /// Read the suppressions of a file.
    pub fn read(file: Option<&str>) -> Result<Suppressions> {
        let Some(file) = file else { return Ok(Suppressions::default()) };
        let text = std::fs::read_to_string(file)
            .map_err(|error| Error::new(format!("SHMEM_CHECK_SUPPRESSIONS: reading {file}: {error}")))?;
        Ok(Suppressions::parse(&text))
    }

    fn parse(text: &str) -> Suppressions {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let split = |line: &str| {
            let (kind, part) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            (kind.to_owned(), part.trim().to_owned())
        };
        Suppressions { lines: lines.map(split).collect() }
    }

    fn cover(&self, finding: &Finding) -> bool {
        self.lines.iter().any(|(kind, part)| {
            let in_place = || finding.places.iter().any(|place| place.contains(part));
            (kind == "*" || kind == finding.kind) && (finding.what.contains(part) || in_place())
        })
    }
}

impl Check {
    /// Report a finding, unless it was reported on this host before or is suppressed. A fatal finding ends the job.
    pub(super) fn tell(&self, world: &World, finding: &Finding) {
        let known = [finding.kind.to_owned()].into_iter().chain(finding.places.iter().cloned());
        let mut key: Vec<u64> = known.map(|text| hash(text.bytes().map(u64::from))).collect();
        key[1..].sort_unstable();
        if finding.places.is_empty() {
            key.push(hash(finding.what.bytes().map(u64::from)));
        }
        if self.suppressions.cover(finding) {
            return;
        }
        let is_new = self.races.area().first_time(hash(key));
        if is_new {
            // One write, so that lines of PEs do not mix. A closed stream is no reason to end a job.
            let _ = std::io::stderr().write_all(self.text(finding).as_bytes());
            self.races.area().head.told.fetch_add(u32::from(finding.weight != Weight::Note), Relaxed);
        }
        if finding.weight == Weight::Note {
            return;
        }
        self.races.area().head.findings.fetch_add(1, Relaxed);
        if !self.mode.warn {
            world.replace_success(EXIT_CODE);
            if finding.weight == Weight::Fatal {
                self.end_job(world, is_new);
            }
        }
    }

    /// End the job because of a mistake. `reports` is true on the PE that has reported it. Others let that PE finish its report, for at most
    /// [`PATIENCE`]: the launcher ends it as soon as they end.
    fn end_job(&self, world: &World, reports: bool) -> ! {
        if !reports {
            wait_for(&self.races.area().head.concluded);
        }
        self.report_result();
        world.die(EXIT_CODE, &format!("PE {}: check: the job ends because mistakes were found", self.me))
    }

    /// Report a mistake that the library itself found in a call, and end the job.
    pub(super) fn misused(&self, world: &World, routine: &str, complaint: &str) -> ! {
        let at = caller::find().source().to_string();
        let finding = Finding {
            kind: "argument",
            weight: Weight::Fatal,
            what: format!("{routine} at {at}: {complaint}"),
            right: String::new(),
            places: vec![format!("{routine} at {at}")],
        };
        let is_new = self.races.area().first_time(hash(finding.what.bytes().map(u64::from)));
        if is_new {
            let _ = std::io::stderr().write_all(self.text(&finding).as_bytes());
            self.races.area().head.told.fetch_add(1, Relaxed);
        }
        self.end_job(world, is_new)
    }

    fn text(&self, finding: &Finding) -> String {
        let Finding { kind, weight, what, right, places } = finding;
        if self.mode.json {
            let mut line = String::from("{\"check\":");
            let note = *weight == Weight::Note;
            let _ = write!(line, "{},\"pe\":{},\"note\":{note},\"what\":{}", quoted(kind), self.me, quoted(what));
            let _ = write!(line, ",\"right\":{},\"places\":[", quoted(right));
            line += &places.iter().map(|place| quoted(place)).collect::<Vec<_>>().join(",");
            return line + "]}\n";
        }
        let word = if *weight == Weight::Note { "note: " } else { "" };
        let end = if right.is_empty() { String::new() } else { format!("; {right}") };
        format!("ferrite: check: PE {}: {word}{kind}: {what}{end}\n", self.me)
    }

    /// When the programs of all PEs of this host have ended, report the result.
    pub(super) fn program_ends(&self) {
        if self.races.area().head.finished.fetch_add(1, AcqRel) + 1 == self.on_host {
            self.report_result();
        }
    }

    /// Report the result of a run in which this PE knows of a mistake, once the PE that reports the mistake has done so.
    pub(super) fn report_failure(&self) {
        if self.has_failed() {
            wait_for(&self.races.area().head.told);
        }
        self.report_result();
    }

    /// Report the number of mistakes and the extent of the checks in one line, once per host and number. The first process to end with
    /// [`EXIT_CODE`] does this as well, because the launcher then ends the others.
    fn report_result(&self) {
        let head = &self.races.area().head;
        let told = head.told.load(Relaxed);
        // Again only if a mistake was found since, by a call after finalize.
        if head.concluded.fetch_max(told + 1, Relaxed) > told || self.mode.json {
            return;
        }
        let host = match self.has_more_hosts {
            false => String::new(),
            true => format!("host {}: ", uname().nodename().to_string_lossy()),
        };
        let found = found(told, self.sees_all(), program_is_seen());
        let _ = std::io::stderr().write_all(format!("ferrite: check: {host}{found}\n").as_bytes());
    }

    fn has_failed(&self) -> bool {
        !self.mode.warn && self.races.area().head.findings.load(Relaxed) > 0
    }

    /// Have a success of the process replaced if mistakes were found.
    pub(super) fn pass_verdict(&self, world: &World) {
        if self.has_failed() {
            world.replace_success(EXIT_CODE);
        }
    }
}

/// Wait until another PE has made a counter other than 0, for at most [`PATIENCE`].
fn wait_for(counter: &AtomicU32) {
    let begin = Instant::now();
    while counter.load(Relaxed) == 0 && begin.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(1));
    }
}

/// The result of a checked run: the number of mistakes, and the extent of the checks.
fn found(mistakes: u32, races: bool, loads_and_stores: bool) -> String {
    let mistakes = match mistakes {
        0 => "no mistakes".to_owned(),
        1 => "1 mistake".to_owned(),
        more => format!("{more} mistakes"),
    };
    let looked_at = match (races, loads_and_stores) {
        (true, true) => "calls, loads and stores were checked",
        (true, false) => {
            "calls were checked; loads and stores were not, for which the program has to be compiled with oshcc --check"
        }
        (false, _) => "calls were checked; races were not checked",
    };
    format!("{mistakes} found; {looked_at}")
}

/// Quote a text for JSON.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            control if control < ' ' => _ = write!(out, "\\u{:04x}", control as u32),
            other => out.push(other),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_json_has_them() {
        assert_eq!(quoted("a \"b\" \\ \n é"), r#""a \"b\" \\ \u000a é""#);
    }

    #[test]
    fn a_checked_run_ends_with_what_was_looked_at() {
        assert_eq!(found(0, true, true), "no mistakes found; calls, loads and stores were checked");
        assert!(found(1, true, false).starts_with("1 mistake found; calls were checked; loads and stores were not"));
        assert_eq!(found(2, false, true), "2 mistakes found; calls were checked; races were not checked");
    }

    #[test]
    fn suppressions_name_a_kind_and_a_part_of_the_text() {
        let file = Suppressions::parse("# ours\nrace  grid\n\nleak\n* old.c:\n");
        for (kind, what, place, covered) in [
            ("race", "element 3 of `grid`", "a.c:1", true),
            ("race", "element 3 of `row`", "a.c:1", false),
            ("leak", "any", "a.c:1", true),
            ("lock", "any", "old.c:7", true),
        ] {
            let finding = Finding {
                kind,
                weight: Weight::Error,
                what: what.into(),
                right: String::new(),
                places: vec![place.into()],
            };
            assert_eq!(file.cover(&finding), covered, "{finding:?}");
        }
    }
}
