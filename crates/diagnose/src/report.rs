//! The texts of reports: an overview first, the line that matters last.

use crate::{
    compare::Version,
    status::{Phase, Seen},
};
use std::fmt::Write;

/// PEs that wait in the same routine at the same place.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Group {
    what: String,
    pes: Vec<u32>,
}

/// The PEs of an ascending list as text: `PE 3`, or `PEs 1,4-9`.
pub fn named(pes: &[u32]) -> String {
    format!("{} {}", if pes.len() == 1 { "PE" } else { "PEs" }, numbers(pes))
}

/// The numbers of an ascending list as text, with ranges such as `2-5`. Of a long text only the begin is given.
fn numbers(pes: &[u32]) -> String {
    /// How long a text may be before the rest is only counted, in bytes.
    const TEXT_MAX: usize = 400;
    let mut text = String::new();
    let mut at = 0;
    while at < pes.len() {
        if text.len() > TEXT_MAX {
            let _ = write!(text, " and {} more", pes.len() - at);
            break;
        }
        let end = (at..pes.len()).take_while(|&i| pes[i] - pes[at] == (i - at) as u32).last().unwrap_or(at);
        let comma = if at > 0 { "," } else { "" };
        let _ = match end - at {
            0 => write!(text, "{comma}{}", pes[at]),
            _ => write!(text, "{comma}{}-{}", pes[at], pes[end]),
        };
        at = end + 1;
    }
    text
}

fn is(pes: &[u32]) -> &'static str {
    if pes.len() == 1 { "is" } else { "are" }
}

/// The waiting PEs in groups, the largest first. A PE whose place is unknown is grouped with PEs in the same routine whose place is known.
fn groups<'s>(pes: impl Iterator<Item = &'s Seen> + Clone) -> Vec<Group> {
    let waiting = || pes.clone().filter_map(|one| Some((one.pe, one.waiting.as_ref()?)));
    let mut groups: Vec<Group> = Vec::new();
    for (pe, waiting_in) in waiting() {
        let same = || waiting().find_map(|(_, other)| other.place.clone().filter(|_| other.name == waiting_in.name));
        let what = match waiting_in.place.clone().or_else(same) {
            Some(place) => format!("{} ({place})", waiting_in.name),
            None => waiting_in.name.clone(),
        };
        match groups.iter_mut().find(|group| group.what == what) {
            Some(group) => group.pes.push(pe),
            None => groups.push(Group { what, pes: vec![pe] }),
        }
    }
    groups.sort_by_key(|group| (usize::MAX - group.pes.len(), group.pes[0]));
    groups
}

/// Number of last calls of a PE that a report shows.
const CALLS: usize = 8;
/// Number of PEs whose last calls a report shows.
const PASTS: usize = 3;

/// A PE's last calls, the oldest first, in one line; nothing if it has made none.
pub fn last_calls(pe: u32, past: &[String]) -> Option<String> {
    let shown = &past[past.len().saturating_sub(CALLS)..];
    let begin = if shown.len() < past.len() { "..., " } else { "" };
    (!shown.is_empty()).then(|| format!("  PE {pe}'s last calls: {begin}{}", shown.join(", ")))
}

/// The PEs whose last calls are most useful: one of each group but the largest, or, if there is only one group, one of that; then PEs that
/// are in no wait.
pub fn that_matter(pes: &[&Seen]) -> Vec<u32> {
    let groups = groups(pes.iter().copied());
    let few = if groups.len() > 1 { &groups[1..] } else { &groups[..] };
    let others = pes.iter().filter(|one| one.waiting.is_none() && one.phase != Phase::Absent).map(|one| one.pe);
    few.iter().map(|group| group.pes[0]).chain(others).take(PASTS).collect()
}

/// Report the waits of PEs that can never go on. `of` is the number of PEs of the job.
pub fn stuck(all: &[Seen], stuck: &[usize], of: u32) -> Vec<String> {
    let groups = groups(stuck.iter().map(|&at| &all[at]));
    let left: Vec<u32> = all.iter().filter(|one| one.phase == Phase::Left).map(|one| one.pe).collect();
    let mut lines = vec!["this job cannot go on: no PE is left that could end these waits".to_owned()];
    lines.extend(groups.iter().map(|group| format!("  {} {} in {}", named(&group.pes), is(&group.pes), group.what)));
    if !left.is_empty() {
        lines.push(format!("  {} {} left the job", named(&left), if left.len() == 1 { "has" } else { "have" }));
    }
    lines.push(last_line(&groups, &left, of));
    lines
}

/// Calls with one number in one team that differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The calls, the most frequent one first.
    pub versions: Vec<Version>,
    /// Their number in the team.
    pub number: u64,
    /// Number of PEs of the team.
    pub members: u32,
    /// PEs that have called no other collective in the team since.
    pub still: Vec<u32>,
}

impl Difference {
    /// Some of the PEs whose call differs from the most frequent one.
    pub fn minority(&self) -> Vec<u32> {
        self.versions[1..].iter().map(|version| version.pes[0]).take(PASTS).collect()
    }
}

/// Report calls that differ. `all` has the current state of their PEs.
pub fn different(difference: &Difference, all: &[Seen], of: u32) -> Vec<String> {
    let Difference { versions, number, members, still } = difference;
    let mut lines = vec![format!(
        "mismatched collectives: the {members} PEs of a team must make the same calls, but these differ (call \
         {number}, counting the library's own):"
    )];
    let place_of = |version: &Version| {
        let here = all.iter().filter(|one| still.contains(&one.pe) && version.pes.contains(&one.pe));
        here.filter_map(|one| one.waiting.as_ref()?.place.as_deref()).next()
    };
    lines.extend(versions.iter().map(|version| match place_of(version) {
        Some(place) => format!("  {}: {} ({place})", named(&version.pes), version.call),
        None => format!("  {}: {}", named(&version.pes), version.call),
    }));
    let there = |pes: &[u32], is_there: bool| {
        groups(all.iter().filter(|one| pes.contains(&one.pe) && still.contains(&one.pe) == is_there))
    };
    let (first, others) = (&versions[0], &versions[1..]);
    let wrong: Vec<u32> = others.iter().flat_map(|version| version.pes.iter().copied()).collect();
    let few = there(&wrong, true);
    let many = there(&first.pes, true);
    let few_are_all = few.iter().map(|group| group.pes.len()).sum::<usize>() == wrong.len();
    let (begin, place) = match many.first() {
        Some(group) if few_are_all => {
            let in_order: Vec<Group> = [group.clone()].into_iter().chain(few).collect();
            lines.push(last_line(&in_order, &[], of));
            return lines;
        }
        None if few_are_all => {
            let are = few.iter().map(|group| format!("{} {} in {}", named(&group.pes), is(&group.pes), group.what));
            let are: Vec<String> = are.collect();
            lines.push(format!("{}, where {} called {}: look there", are.join(", "), named(&first.pes), first.call));
            return lines;
        }
        Some(group) => (format!("{}; ", together(group, of)), "there".to_owned()),
        None => (String::new(), format!("where {} called {}", named(&first.pes), first.call)),
    };
    let calls: Vec<String> =
        others.iter().map(|version| format!("{} called {}", named(&version.pes), version.call)).collect();
    let mut last = format!("{begin}{} {place}", calls.join(", "));
    for group in there(&wrong, false) {
        let _ = write!(last, ", and {} now in {}", is(&group.pes), group.what);
    }
    lines.push(last + ": look there");
    lines
}

/// Report where all visible PEs of `place` are. `now_ns` is the current time of the clock that `since_ns` is of.
pub fn roll_call(all: &[Seen], why: &str, place: &str, now_ns: u64, of: u32) -> Vec<String> {
    let mut lines = vec![format!("{why}; {place}, {} of {of} PEs:", all.len())];
    let groups = groups(all.iter());
    for group in &groups {
        let waits = all.iter().filter(|one| group.pes.contains(&one.pe)).filter_map(|one| one.waiting.as_ref());
        let began = waits.map(|waiting| waiting.since_ns).max().unwrap_or(now_ns);
        let seconds = now_ns.saturating_sub(began) as f64 / 1e9;
        lines.push(format!("  {} {} in {}, for {seconds:.1} s", named(&group.pes), is(&group.pes), group.what));
    }
    let of_phase = |phase| -> Vec<u32> {
        all.iter().filter(|one| one.phase == phase && one.waiting.is_none()).map(|one| one.pe).collect()
    };
    let (busy, left) = (of_phase(Phase::Joined), of_phase(Phase::Left));
    if !busy.is_empty() {
        let verbs = if busy.len() == 1 { "computes, or waits" } else { "compute, or wait" };
        lines.push(format!("  {} {verbs} outside of the library", named(&busy)));
    }
    if !left.is_empty() {
        lines.push(format!("  {} {} left the job", named(&left), if left.len() == 1 { "has" } else { "have" }));
    }
    lines
}

fn together(group: &Group, of: u32) -> String {
    match group.pes.len() {
        1 => format!("{} waits in {}", named(&group.pes), group.what),
        count if count as u32 == of => format!("all {of} PEs wait together in {}", group.what),
        count => format!("{count} of {of} PEs wait together in {}", group.what),
    }
}

fn last_line(groups: &[Group], left: &[u32], of: u32) -> String {
    const SHOWN: usize = 3;
    let Some((first, others)) = groups.split_first() else { return String::new() };
    let mut line = together(first, of);
    let mut parts: Vec<String> =
        others.iter().map(|group| format!("{} {} in {}", named(&group.pes), is(&group.pes), group.what)).collect();
    if !left.is_empty() {
        parts.push(format!("{} {} left the job", named(left), if left.len() == 1 { "has" } else { "have" }));
    }
    if parts.is_empty() {
        return line + ", which no other PE can end: look there";
    }
    let more = parts.len().saturating_sub(SHOWN);
    parts.truncate(SHOWN);
    let _ = write!(line, "; {}", parts.join(", "));
    if more > 0 {
        let _ = write!(line, ", and {more} more");
    }
    line + ": look there"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        entry::{Entry, EntryKind},
        status::{Class, Waiting},
    };

    fn waits(pe: u32, name: &str, place: Option<&str>) -> Seen {
        let place = place.map(str::to_owned);
        let waiting = Waiting {
            version: 1,
            class: Class::Collective,
            since_ns: 0,
            name: name.into(),
            absent: None,
            team: None,
            place,
        };
        Seen { pe, phase: Phase::Joined, looks: 0, waiting: Some(waiting) }
    }

    fn elsewhere(pe: u32, phase: Phase) -> Seen {
        Seen { pe, phase, looks: 0, waiting: None }
    }

    #[test]
    fn a_roll_call_has_all() {
        let mut early = waits(2, "shmem_barrier_all", Some("solver.c:214"));
        early.waiting.as_mut().unwrap().since_ns = 1_000_000_000;
        let all = [early, elsewhere(0, Phase::Joined), elsewhere(1, Phase::Joined), elsewhere(3, Phase::Left)];
        assert_eq!(
            roll_call(&all, "asked for by a signal", "host n1", 3_500_000_000, 8),
            [
                "asked for by a signal; host n1, 4 of 8 PEs:",
                "  PE 2 is in shmem_barrier_all (solver.c:214), for 2.5 s",
                "  PEs 0-1 compute, or wait outside of the library",
                "  PE 3 has left the job",
            ]
        );
    }

    #[test]
    fn the_few_and_the_absent_matter() {
        let barrier = |pe| waits(pe, "shmem_barrier_all", None);
        let all = [barrier(0), barrier(1), waits(2, "shmem_malloc", None), elsewhere(3, Phase::Left)];
        assert_eq!(that_matter(&all.iter().collect::<Vec<_>>()), [2, 3]);
        assert_eq!(that_matter(&[&all[0], &all[1]]), [0]);
    }

    #[test]
    fn the_last_calls_are_a_line() {
        let past: Vec<String> = (0..10).map(|n| format!("c{n}")).collect();
        assert_eq!(last_calls(1, &[]), None);
        assert_eq!(last_calls(1, &past[..2]).unwrap(), "  PE 1's last calls: c0, c1");
        assert_eq!(last_calls(1, &past).unwrap(), "  PE 1's last calls: ..., c2, c3, c4, c5, c6, c7, c8, c9");
    }

    #[test]
    fn numbers_are_short() {
        for (pes, text) in [(&[0][..], "0"), (&[0, 1], "0-1"), (&[0, 2, 3, 4, 9], "0,2-4,9"), (&[], "")] {
            assert_eq!(numbers(pes), text);
        }
        assert_eq!(named(&[4]), "PE 4");
        let odd: Vec<u32> = (0..1000).map(|n| 2 * n + 1).collect();
        assert!(named(&odd).starts_with("PEs 1,3,5,") && named(&odd).ends_with(",229 and 885 more"), "{}", named(&odd));
    }

    #[test]
    fn the_line_that_matters_comes_last() {
        let barrier = |pe| waits(pe, "shmem_barrier_all", Some("solver.c:214"));
        let malloc = waits(1, "shmem_malloc(4096)", Some("io.c:88"));
        let four = [barrier(0), malloc.clone(), waits(2, "shmem_barrier_all", None), barrier(3)];
        let last = |lines: Vec<String>| lines.last().cloned().unwrap();
        assert_eq!(
            last(stuck(&four, &[0, 1, 2, 3], 4)),
            "3 of 4 PEs wait together in shmem_barrier_all (solver.c:214); PE 1 is in shmem_malloc(4096) (io.c:88): look there"
        );
        assert_eq!(
            last(stuck(&[barrier(0), elsewhere(1, Phase::Left)], &[0], 2)),
            "PE 0 waits in shmem_barrier_all (solver.c:214); PE 1 has left the job: look there"
        );
        assert_eq!(
            last(stuck(&[barrier(0), barrier(1)], &[0, 1], 2)),
            "all 2 PEs wait together in shmem_barrier_all (solver.c:214), which no other PE can end: look there"
        );
        let versions = [
            Version { call: Entry::bare(EntryKind::Barrier), pes: vec![0, 2, 3] },
            Version { call: Entry::sized(EntryKind::Allocate, 4096), pes: vec![1] },
        ];
        let mut difference = Difference { versions: versions.into(), number: 7, members: 4, still: vec![0, 1, 2, 3] };
        let lines = different(&difference, &four, 4);
        assert_eq!(lines[2], "  PE 1: an allocation of 4096 bytes (io.c:88)");
        assert_eq!(
            last(lines),
            "3 of 4 PEs wait together in shmem_barrier_all (solver.c:214); PE 1 is in shmem_malloc(4096) (io.c:88): look there"
        );
        let gone_on = [barrier(0), elsewhere(1, Phase::Joined), barrier(2), barrier(3)];
        assert_eq!(
            last(different(&difference, &gone_on, 4)),
            "3 of 4 PEs wait together in shmem_barrier_all (solver.c:214); PE 1 called an allocation of 4096 bytes there: look there"
        );
        difference.still = Vec::new();
        assert_eq!(
            last(different(&difference, &gone_on[..2], 4)),
            "PE 1 called an allocation of 4096 bytes where PEs 0,2-3 called a barrier: look there"
        );
        difference.still = vec![1];
        assert_eq!(
            last(different(&difference, &[elsewhere(0, Phase::Joined), malloc.clone()], 4)),
            "PE 1 is in shmem_malloc(4096) (io.c:88), where PEs 0,2-3 called a barrier: look there"
        );
        difference.still = vec![0, 2, 3];
        assert_eq!(
            last(different(&difference, &[barrier(0), waits(1, "shmem_finalize", None), barrier(2), barrier(3)], 4)),
            "3 of 4 PEs wait together in shmem_barrier_all (solver.c:214); PE 1 called an allocation of 4096 bytes there, and is \
             now in shmem_finalize: look there"
        );
    }
}
